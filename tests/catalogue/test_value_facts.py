"""What declarations say of values names arguments that the operators have."""

from __future__ import annotations

import pytest

from tensorproof.catalogue import find
from tensorproof.catalogue.where import WHERE
from tensorproof.ops.distributions import DISTRIBUTIONS
from tensorproof.ops.inputs import Choice
from tensorproof.ops.record import Op, Values

KINDS = frozenset([
    "totals", "counts", "drawn",
    "unknown", "sums", "multiplies", "divides", "increasing", "decreasing", "bounded", "dot", "convex", "moves", "cuts", "selects", "joins", "mixes", "places",
    "draws", "fills",
])  # fmt: skip
OPS = [op for op in map(find, WHERE) if op is not None]


def facts(op: Op) -> list[Values]:
    return [op.values, *(out.values for out in op.outputs if out.values is not None)]


@pytest.mark.parametrize("op", [op for op in OPS if any(v.kind != "unknown" for v in facts(op))], ids=lambda op: op.name)
def test_facts_name_arguments_of_their_operator(op: Op) -> None:
    for values in facts(op):
        assert values.kind in KINDS
        named = [n for n in (*values.over.split(), values.by, values.low, values.high, values.step) if isinstance(n, str) and n]
        if values.kind != "dot":
            assert all(op.parameter(n) is not None for n in named), named


def test_what_is_drawn_has_the_parameters_of_its_distribution() -> None:
    for op in OPS:
        for values in facts(op):
            if values.kind == "drawn":
                choice = op.parameter(str(values.by))
                names = [values.distribution] if values.distribution else [n for n in choice.options if n] if isinstance(choice, Choice) else []
                assert all(n in DISTRIBUTIONS for n in names), op.name
                assert values.over or all(op.parameter(p) is not None for n in names for p in DISTRIBUTIONS[n].parameters), op.name


def test_what_moves_or_selects_says_of_what() -> None:
    for op in OPS:
        for values in facts(op):
            if values.kind in ("moves", "cuts", "selects", "joins", "mixes", "places"):
                assert values.over, op.name
