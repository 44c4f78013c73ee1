"""Padding that an operator does itself, "same" above all, and padding beforehand give the same result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call, Input, text
from tensorproof.equivalence.convolution import Convolution, convolution, each_axis, is_convolution, padded, same_sides
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule

_POOL = re.compile(r"(max|avg)_pool([123])d")
_FILL = {"max": 'float("-inf")', "avg": "0.0"}


def _applies(api: Api) -> bool:
    return is_convolution(api) or bool(_POOL.fullmatch(api.op))


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    if (made := convolution(call)) is not None:
        return _of_convolution(made, dialect)
    return _of_pool(call, dialect) if _POOL.fullmatch(call.api.op) else ()


def _of_convolution(made: Convolution, dialect: Dialect) -> Iterator[Pair]:
    same = made.but(stride=(1,) * made.axes, padding="same")
    sides = same_sides(made.sizes, made.dilation)
    yield _pair(same, sides, "same", dialect)
    if isinstance(made.padding, tuple) and any(made.padding):
        yield _pair(made, [(n, n) for n in made.padding], "numbers", dialect)


def _pair(made: Convolution, sides: list[tuple[int, int]], about: str, dialect: Dialect) -> Pair:
    right = made.written(x=padded(made.x, sides, made.mode), padding=(0,) * made.axes)
    return Pair(made.text(dialect), right, made.setup(dialect), about)


def _of_pool(call: Call, dialect: Dialect) -> Iterator[Pair]:
    """A maximum is padded with minus infinity, an average with zeros where those count."""
    given = {**(call.init or {}), **call.bound()}
    found, x = _POOL.fullmatch(call.api.op), given.get("input", given.get("self"))
    if found is None or not isinstance(x, Input) or not call.inputs[x.name].is_float or given.get("ceil_mode") or given.get("return_indices"):
        return
    kind, axes = found.group(1), int(found.group(2))
    padding = each_axis(given.get("padding", 0), axes)
    if not any(padding) or "indices" in call.api.name or (kind == "avg" and given.get("count_include_pad") is False):
        return
    fill = padded(x.name, [(n, n) for n in padding], value=_FILL[kind])
    kept = {k: v for k, v in given.items() if k not in ("input", "self", "padding", "return_indices")}
    arguments = ", ".join(f"{k}={text(v, dialect)}" for k, v in kept.items())
    yield Pair(call.expression(dialect), f"torch.nn.functional.{call.api.op}({fill}, {arguments})", call.setup(dialect), "pool")


RULE = Rule("explicit-padding", "api redundancy", 'built-in padding, "same" above all = padding beforehand', ("torch",), _pairs, _applies, number=2,
            special=False)  # fmt: skip
