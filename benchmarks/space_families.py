"""Modern families from source (ResNet, U-Net, ViT, GPT, TCN, the geometry of a GAN): every verdict against the real run (space_families.md).

    python benchmarks/space_families.py            compare with the kept truth
    python benchmarks/space_families.py --truth    run the vectors whose truth is not kept
"""

from __future__ import annotations

import sys
from pathlib import Path

from space_study import Vector, main

HERE = Path(__file__).parent


def label(title: str, vector: Vector, outcome: str) -> str:
    """Verdicts alone are compared here."""
    return "invalid" if outcome else ""


if __name__ == "__main__":
    sys.exit(main(HERE / "space_families.md", HERE / "space_families.truth.gz", label, False, (__doc__ or "").splitlines()[0]))
