"""A convolution in groups and one convolution for each group give the same result; one group for each channel is depthwise."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.call import Call
from tensorproof.equivalence.convolution import Convolution, convolution, is_convolution
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    if (made := convolution(call)) is None or made.mode != "zeros":
        return
    if made.groups > 1:
        yield Pair(made.text(dialect), _apart(made), made.setup(dialect), "as called")
    own = {} if call.init is not None else {"kernel": made.drawn((2 * made.channels, 1, *made.sizes))}
    each = made.but(groups=made.channels, **({"weight": "kernel", "bias": "None"} if own else {}))
    channels = {"in_channels": made.channels} if "in_channels" in (call.init or {}) else {}
    yield Pair(each.text(dialect), _apart(each), each.setup(dialect, **channels, out_channels=2 * made.channels), "depthwise", inputs=own)


def _apart(made: Convolution) -> str:
    """Each group with its own part of the channels, of the kernel and of the bias."""
    whole = f"{made.bias} if {made.bias} is not None else torch.zeros(len({made.weight}))"
    biases = "[None] * len(kernels)" if made.bias == "None" else f"({whole}).chunk(len(kernels))"
    part = made.but(weight="w", bias="b").written(x="x", groups=1)
    return "\n".join((
        f"kernels = {made.weight}.chunk({made.groups})",
        f"parts = zip({made.x}.chunk({made.groups}, {made.channel}), kernels, {biases})",
        f"torch.cat([{part} for x, w, b in parts], {made.channel})",
    ))  # fmt: skip


RULE = Rule("depthwise", "api redundancy", "a depthwise or grouped convolution = plain convolutions of its channels", ("torch",), _pairs, is_convolution,
            number=4, special=False)  # fmt: skip
