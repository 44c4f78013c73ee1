"""A function and what `torch.compile` makes of it without code generation give the same result: tracing and decompositions are at fault otherwise."""

from __future__ import annotations

from tensorproof.equivalence.rule import Rule
from tensorproof.equivalence.tracing import can_be_traced, traced_pairs

WRAP = 'torch.compile({}, backend="aot_eager", fullgraph=True)'

RULE = Rule("aot-eager", "optimization", "eager = torch.compile with the backend aot_eager", ("torch",),
            traced_pairs(WRAP), can_be_traced, number=1, batched=True, chunk=3, thin=2,
            documented=True)  # fmt: skip
