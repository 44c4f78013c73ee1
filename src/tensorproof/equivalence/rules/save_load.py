"""A layer or a model that is saved and loaded gives the same result and has the same weights, by every way that the library offers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.models import SUBJECTS, Model, drawn_model, keras_saving, torch_saving
from tensorproof.equivalence.models.preparing import prepared
from tensorproof.equivalence.models.saving import pairs
from tensorproof.equivalence.rule import Pair, Rule

EVERY_COSTLY = 5
"""One call in so many tries the ways that take long."""
METHODS_OF_KERAS = 5
"""Ways that are tried on one model of Keras, which takes tenths of a second to make."""
_SHIFT = {
    "torch": "for p in layer.state_dict().values(): p.copy_(p + 0.25)",
    "tensorflow": "layer.set_weights([w + 0.25 for w in layer.get_weights()])",
}
"""Lines after which weights are not those that a new layer has."""
_WEIGHTS = {"torch": ".state_dict()", "tensorflow": ".get_weights()"}


def _applies(api: Api) -> bool:
    return api.is_layer and not api.random


def _pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
    if call.init is None:
        return
    is_torch, is_loss = dialect.name == "torch", call.api.name.startswith("keras.losses.")
    setup, expression = call.setup(dialect), call.expression(dialect)
    lazy = is_torch and call.api.name.rpartition(".")[2].startswith("Lazy")
    fresh = call.construction(dialect).replace("layer = ", "other = ").replace(dialect.seed, dialect.seed.replace("0", "1"))
    first = [expression] if lazy or not (is_torch or is_loss) else []
    ready = "\n".join([setup, *first, *([] if is_loss else [_SHIFT[dialect.name]])])
    methods = torch_saving.METHODS if is_torch else keras_saving.LOSSES if is_loss else keras_saving.METHODS
    chosen = (w for w in methods if not w.models and (call.number % EVERY_COSTLY == 0 or not w.costly) and (w.lazy or not lazy))
    yield from pairs(chosen, ready, fresh, expression, "" if is_loss else _WEIGHTS[dialect.name])


def _models(subject: str, random: Random, dialect: Dialect) -> tuple[Mapping[str, Array], Iterable[Pair]]:
    model = drawn_model(subject, random, dialect.name)
    if model is None:
        return {}, ()
    is_torch = dialect.name == "torch"
    lines = [*prepared(model, dialect), *_found(model), _SHIFT[dialect.name]]
    fresh = f"{dialect.seed.replace('0', '1')}; other = {model.made}{'.eval()' if is_torch else ''}"
    fitting = [w for w in keras_saving.METHODS if w.name not in keras_saving.NOT_SUBCLASSED or not model.own]
    methods = torch_saving.METHODS if is_torch else random.sample(fitting, METHODS_OF_KERAS)
    return model.inputs, pairs(methods, "\n".join(lines), fresh, "layer(x)", _WEIGHTS[dialect.name])


def _found(model: Model) -> list[str]:
    """pickle looks classes up in their module."""
    named = "; ".join(f'__main__.{name} = {name}; {name}.__module__ = "__main__"' for name in model.own)
    return [f"import __main__; {named}"] if model.own else []


RULE = Rule("save-load", "model evaluation", "a model = the same model saved and loaded", ("torch", "tensorflow", "keras"), _pairs, _applies, number=16,
            special=False, subjects=SUBJECTS, own=_models, unsupported="Could not export Python function")  # fmt: skip
