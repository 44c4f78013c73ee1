"""A dilated convolution and a plain one whose kernel has zeros in between give the same result."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.call import Call
from tensorproof.equivalence.convolution import Convolution, convolution, is_convolution
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    """The call as it is where it has a dilation; and with one, padded so that the kernel fits."""
    if (made := convolution(call)) is None or made.mode != "zeros":
        return
    if any(d > 1 for d in made.dilation):
        yield _pair(made, "as called", dialect)
    dilation = tuple(2 + (call.number + i) % 2 for i in range(made.axes))
    yield _pair(made.but(dilation=dilation, padding=tuple(d * (k - 1) for k, d in zip(made.sizes, dilation))), "dilated", dialect)


def _pair(made: Convolution, about: str, dialect: Dialect) -> Pair:
    sizes = ", ".join(str(d * (k - 1) + 1) for k, d in zip(made.sizes, made.dilation))
    lines = [
        f"kernel = torch.zeros([*{made.weight}.shape[:2], {sizes}], dtype={made.weight}.dtype)",
        f"kernel[:, :, {', '.join(f'::{d}' for d in made.dilation)}] = {made.weight}",
        made.but(weight="kernel").written(dilation=1),
    ]
    return Pair(made.text(dialect), "\n".join(lines), made.setup(dialect), about)


RULE = Rule("stuffed-kernel", "api redundancy", "a dilated convolution = one whose kernel has zeros in between", ("torch",), _pairs, is_convolution, number=6,
            special=False)  # fmt: skip
