"""What the workers of library_cuda.py import first.

CUDA maps more memory than a worker may have otherwise. `TENSORPROOF_DEVICE` is the device that is compared with the CPU, `TENSORPROOF_PATCH` a module that
puts a bug on trial into the library.
"""

from __future__ import annotations

import importlib
import os

from tensorproof.equivalence.campaigns import worker
from tensorproof.equivalence.rules import cuda

worker.MEMORY = 1 << 46
cuda.RULE = cuda.rule(os.environ.get("TENSORPROOF_DEVICE", "cuda"))
if os.environ.get("TENSORPROOF_PATCH"):
    importlib.import_module(os.environ["TENSORPROOF_PATCH"])
