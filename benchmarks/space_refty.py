"""Refty's study: five operators alone, five models and the filters of a convnet, in PyTorch and in TensorFlow (programs and domains in space_refty.md).

    python benchmarks/space_refty.py            compare the verdict and the category of every vector with the kept truth
    python benchmarks/space_refty.py --truth    run the vectors whose truth is not kept

The right categories of a vector that raises are those of space_labels.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

from space_labels import labels
from space_study import main

HERE = Path(__file__).parent

if __name__ == "__main__":
    sys.exit(main(HERE / "space_refty.md", HERE / "space_refty.truth.gz", labels, (__doc__ or "").splitlines()[0]))
