"""What is padded and then cropped is what it was."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call, Input
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule


def _applies(api: Api) -> bool:
    return api.op == "pad" and not api.in_place


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    """Cropping is by slices, and by the amounts with the other sign."""
    given = {**(call.init or {}), **call.bound()}
    x, amounts = given.get("input"), given.get("padding", given.get("pad"))
    if not isinstance(x, Input) or amounts is None:
        return
    axes = int(call.api.name[-2]) if call.api.name.endswith("d") and call.api.name[-2].isdigit() else 0
    numbers = [amounts] * (2 * axes) if isinstance(amounts, int) else list(amounts)
    if len(numbers) % 2 or min(numbers, default=0) < 0:
        return
    shape, padded = call.inputs[x.name].shape, call.expression(dialect)
    slices = [f"{before}:{before + shape[-1 - i]}" for i, before in enumerate(numbers[::2])]
    yield Pair(x.name, f"{padded}[..., {', '.join(reversed(slices))}]" if slices else padded, call.setup(dialect), "slices")
    yield Pair(x.name, f"torch.nn.functional.pad({padded}, {[-n for n in numbers]})", call.setup(dialect), "amounts with the other sign")


RULE = Rule("pad-crop", "inverse", "what it was = padded then cropped", ("torch",), _pairs, _applies, number=14)
