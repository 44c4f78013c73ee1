"""Writes src/tensorproof/libraries/torch/layer_attributes.txt: the attributes that layers of each class of torch.nn may have, from the real torch.

What some call of a constructor sets counts, so a name that is not listed is one that no layer of the class has.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path

TARGET = Path(__file__).parent.parent / "src" / "tensorproof" / "libraries" / "torch" / "layer_attributes.txt"
TRIES = ((), (2,), (4, 4), (4, 4, 2), (1, 4, 4), (4, 4, 4), (4, 20, [5]), (2, 4, 4, 4))


def assigned(cls: type) -> set[str]:
    """What the methods of a class set on `self`."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    stores = (n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
    return {n.attr for n in stores if isinstance(n.value, ast.Name) and n.value.id == "self"}


def attributes(cls: type) -> set[str]:
    import torch

    found = set(dir(cls)) | {name for one in cls.__mro__ if one.__module__.startswith("torch.") for name in assigned(one)}
    for given in TRIES:
        try:
            made = cls(*given)
        except Exception:  # other arguments, then
            continue
        found |= set(dir(made))
    assert issubclass(cls, torch.nn.Module)
    return {name for name in found if not name.startswith("__") or name == "__call__"}


def main() -> None:
    import torch

    common = attributes(torch.nn.Module)
    classes = {name: cls for name in dir(torch.nn) if inspect.isclass(cls := getattr(torch.nn, name)) and issubclass(cls, torch.nn.Module)}
    rows = [f"torch.nn.Module {' '.join(sorted(common))}"]
    rows += [f"torch.nn.{name} {' '.join(sorted(attributes(cls) - common))}".rstrip() for name, cls in classes.items() if name != "Module"]
    TARGET.write_text(f"# torch {torch.__version__.partition('+')[0]}\n" + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
