"""Keras gives the same result with TensorFlow and with another backend, which runs in a process of its own. Layers have the same weights."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import Dialect
from tensorproof.equivalence.rule import Pair, Pairs, Rule

_TYPE = re.compile(r"\btf\.(?:dtypes\.experimental\.)?(\w+)\b")


def _applies(api: Api) -> bool:
    return api.name.startswith("keras.") and not api.random and not any(op.opaque for op in api.operators)


def _with(backend: str) -> Pairs:
    def pairs(call: Call, dialect: Dialect) -> Iterable[Pair]:
        left, setup = call.expression(dialect), call.setup(dialect)
        asked = _TYPE.sub(r"'\1'", left)
        given = "".join(f", {name}={name}" for name in call.inputs)
        made = _TYPE.sub(r"'\1'", setup.partition("; ")[2])
        if call.api.name.startswith("keras.layers."):
            right = f"{left}\nwith_backend({backend!r}, {asked!r}, {made!r}, layer.get_weights(){given})"
        else:
            right = f"with_backend({backend!r}, {asked!r}, {made!r}{given})" if made else f"with_backend({backend!r}, {asked!r}{given})"
        if not call.written:
            yield Pair(left, right, setup, loose=10.0)

    return pairs


def _ready(backend: str) -> Callable[[], str]:
    def ready() -> str:
        from tensorproof.equivalence.dialects.keras_backends import missing

        return missing(backend)

    return ready


RULES = tuple(
    Rule(f"keras-{backend}", "backend", f"Keras with TensorFlow = Keras with {backend}", ("tensorflow", "keras"), _with(backend), _applies,
         ready=_ready(backend), by_name=True, unsupported="backend|not allowed|No module|NotImplemented|Attempting|not implemented")
    for backend in ("torch", "jax")
)  # fmt: skip
