"""Modern families from source (ResNet, U-Net, ViT, GPT, TCN, the geometry of a GAN): every verdict against the real run (space_families.md).

python benchmarks/space_families.py            compare with the kept truth
python benchmarks/space_families.py --truth    run the vectors whose truth is not kept
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from space_study import main

HERE = Path(__file__).parent


def labels(title: str, vector: Mapping[str, Any], outcome: str) -> tuple[str, ...]:
    """Verdicts alone are compared here."""
    return ("invalid",) if outcome else ()


if __name__ == "__main__":
    sys.exit(main(HERE / "space_families.md", HERE / "space_families.truth.gz", labels, (__doc__ or "").splitlines()[0]))
