"""A function and its form that writes into its first argument give the same result."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api, apis
from tensorproof.equivalence.call import Call, Input, text
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule


def _plain(name: str) -> str:
    return name.removesuffix("_")


def _applies(api: Api) -> bool:
    return api.name.endswith("_") and not api.name.endswith("__") and not api.random and any(a.name == _plain(api.name) for a in apis("torch"))


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    if not call.args or not isinstance(call.args[0], Input):
        return
    first = text(call.args[0], dialect)
    out_of_place = call.expression(dialect, {first: f"{first}.clone()"}, _plain(call.api.name))
    yield Pair(f"({out_of_place}).to({first}.dtype)", call.expression(dialect))


RULE = Rule("in-place", "api redundancy", "out-of-place = in-place", ("torch",), _pairs, _applies, documented=True)
