"""A function and what `torch.compile` makes of it with inductor give the same result: code generation is at fault where aot_eager agrees."""

from __future__ import annotations

import shutil

from tensorproof.equivalence.rule import Rule
from tensorproof.equivalence.rules.compiled import aot_eager
from tensorproof.equivalence.tracing import can_be_traced, traced_pairs


def _ready() -> str:
    return "" if any(map(shutil.which, ("g++", "clang++", "cl"))) else "inductor needs a C++ compiler (g++), and there is none"


_PAIRS = traced_pairs("torch.compile({}, fullgraph=True)", sieve=aot_eager.WRAP)

RULE = Rule("inductor", "optimization", "eager = torch.compile with inductor", ("torch",), _PAIRS, can_be_traced, number=1, batched=True, chunk=8,
            thin=4, share=2.0, ready=_ready)  # fmt: skip
