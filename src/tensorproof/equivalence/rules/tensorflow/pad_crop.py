"""What is padded and cropped again is as it was."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Rule
from tensorproof.equivalence.rules.tensorflow.windows import by_our_names


def _applies(api: Api) -> bool:
    return bool(api.operators) and {op.name for op in api.operators} <= {"pad", "constant_pad"}


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    """The result is cropped by the widths of the call; for a layer, by the layer that crops."""
    bound, _ = by_our_names(call)
    name = bound["x"].name if hasattr(bound.get("x"), "name") else ""
    if not name or not call.inputs[name].data.size:
        return
    made, sizes = call.expression(dialect), list(call.inputs[name].shape)
    if call.init is not None:
        if call.api.name.endswith("1D") and "data_format" in call.init:
            return
        given = {**{k: v for k, v in call.init.items() if k != "padding"}, "cropping": bound.get("padding", 1)}
        crop = call.but(init=given).setup(dialect).partition("layer = ")[2].replace("ZeroPadding", "Cropping")
        yield Pair(name, f"{crop}({made})", call.setup(dialect), compare="numbers")
    elif {"top", "left"} <= bound.keys():
        yield Pair(name, f"tf.image.crop_to_bounding_box({made}, {bound['top']}, {bound['left']}, {sizes[-3]}, {sizes[-2]})")
    else:
        widths = next((v for k, v in bound.items() if k != "x" and isinstance(v, (tuple, list)) and len(v) == len(sizes)), None)
        if widths is not None and all(isinstance(w, (tuple, list)) and isinstance(w[0], int) for w in widths):
            yield Pair(name, f"tf.slice({made}, {[w[0] for w in widths]}, {sizes})")


RULE = Rule("tf-pad-crop", "inverse", "as it was = padded and cropped", ("tensorflow", "keras"), _pairs, _applies, number=14)
