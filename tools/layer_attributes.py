"""Writes src/tensorproof/libraries/layer_attributes.txt: every public attribute that some layer of torch.nn has, from the real torch."""

from __future__ import annotations

import inspect
from pathlib import Path

TARGET = Path(__file__).parent.parent / "src" / "tensorproof" / "libraries" / "layer_attributes.txt"


def main() -> None:
    import torch

    found: set[str] = set()
    for name in dir(torch.nn):
        cls = getattr(torch.nn, name)
        if inspect.isclass(cls) and issubclass(cls, torch.nn.Module):
            found |= {a for a in dir(cls) if not a.startswith("__")}
            source = inspect.getsource(cls)
            found |= {
                line.split("self.")[1].split()[0].split(":")[0].split(",")[0]
                for line in source.splitlines()
                if line.strip().startswith("self.") and "=" in line
            }
            found |= set(getattr(cls, "__annotations__", {})) | set(getattr(cls, "__constants__", []))
    found = {a for a in found if a.isidentifier()}
    TARGET.write_text(f"# torch {torch.__version__}\n" + "\n".join(sorted(found)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
