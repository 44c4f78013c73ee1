"""Activations, initializers, regularizers and constraints: by name or as objects. A name that Keras does not know is an error of the program."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.bindings.rows import names
from tensorproof.libraries import ClassModel, KindModel, Run, nothing
from tensorproof.libraries.keras.models.graph import element_type, snake
from tensorproof.libraries.results.facts import facts
from tensorproof.libraries.tensorflow import initial_values
from tensorproof.terms import Shape, TensorType, Term
from tensorproof.values import Args, Dict, Kwargs, List, Machine, Model, Named, Unknown, Value

_CLASSES = {kind: tuple(facts("keras/words")[kind].split()) for kind in ("initializer", "regularizer", "constraint")}
INITIALIZERS, REGULARIZERS, CONSTRAINTS = _CLASSES.values()
_ALSO = {kind: dict(pair.split("=") for pair in facts("keras/words").get(f"other {kind}s", "").split()) for kind in _CLASSES}
"""By kind: other words for a class."""
WORDS = {kind: frozenset((*(w for c in classes for w in (c, snake(c), c.lower())), *_ALSO[kind])) for kind, classes in _CLASSES.items()}
WORDS["activation"] = frozenset(n.rpartition(".")[2] for n in names("keras") if n.startswith("keras.activations.")) | {"identity"}


def kind_of(argument: str) -> str:
    """Which list of names a constructor's argument is looked up in; empty for other arguments."""
    if argument in ("activation", "recurrent_activation"):
        return "activation"
    last = argument.rpartition("_")[2]
    return last if last in ("initializer", "regularizer", "constraint") else ""


def check(m: Machine, argument: str, value: Value, node: ast.AST) -> None:
    """A name that Keras does not know."""
    kind = kind_of(argument)
    if kind and isinstance(value, str) and value not in WORDS[kind] and ">" not in value and value not in _registered(m):
        raise m.raised("ValueError", f"Keras has no {kind} named {value!r}", node, "keras/word")
    if kind and isinstance(value, (bool, int, float, tuple, List)):
        raise m.raised("ValueError", f"{argument} is a {kind} or its name, not {value!r}", node, "keras/word")


def _registered(m: Machine) -> Any:
    """Names that the program registered itself."""
    return m.model_state.get("keras registered", ())


def _make(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if name == "Constant" and isinstance(args[0] if args else kwargs.get("value"), (str, List, tuple)):
        m.gap("keras.initializers.Constant", node, "a value that is not a number")
    given = {k: v for k, v in kwargs.items() if not isinstance(v, Unknown)}
    named = m.heap.space(initial_values.given(name, args, kwargs))
    return Model("keras.word", m.heap.space({"class": name, "arguments": (*args, *given.values()), "given": named}))


def _call(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """An initializer makes a tensor of a shape; a regularizer a number; a constraint gives back what it got."""
    name = me.space[initial_values.CLASS]
    if name in INITIALIZERS:
        given = args[0] if args else kwargs.get("shape")
        sizes = m.iterate(given, node) if isinstance(given, (List, tuple)) else [given] if isinstance(given, (int, Term)) else None
        if sizes is None or not all(isinstance(s, (int, Term)) for s in sizes):
            return m.gap(f"keras.initializers.{name}(…)", node, "the shape is not known")
        if name == "Identity" and len(sizes) != 2:
            raise m.raised("ValueError", f"the identity is a matrix, and the shape is {tuple(sizes)}", node, "keras/word")
        made = TensorType(Shape(sizes), element_type(kwargs.get("dtype", args[1] if len(args) > 1 else None)), framework="tf")
        ends = initial_values.of(me, tuple(sizes))
        return made if ends is None else m.path.source(made, "initial value", *ends, drawn=True)
    value = args[0] if args else Unknown(name)
    if name in REGULARIZERS and isinstance(value, TensorType):
        return value.but(shape=Shape(), framework="tf", contents=None, parameter=False)
    return value


KINDS = {
    "keras.word": KindModel(
        call=_call, attribute=lambda m, me, name, n: Named(f"keras.{me.space['class']}") if name == "__class__" else Unknown(name), passed=True,
        methods={"get_config": lambda m, me, a, k, n: Dict(m.heap.entries({}))},
    ),
}  # fmt: skip


def _get(kind: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    value = args[0] if args else kwargs.get("identifier")
    if isinstance(value, str):
        check(m, kind, value, node)
        if kind == "activation":
            return Named(f"keras.activations.{value}")
        return _make(next((c for c in (*INITIALIZERS, *REGULARIZERS, *CONSTRAINTS) if value in (c, snake(c), c.lower())), "Constant"), m, (), {}, node)
    if value is None and kind == "activation":
        return Named("keras.activations.linear")
    return value


def _serialize(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """An activation of Keras by its name; anything else is handed back as it is, for `deserialize` or `get` to take."""
    value = args[0] if args else next(iter(kwargs.values()), None)
    return value.name.rpartition(".")[2] if isinstance(value, Named) and value.name.startswith(("keras.activations.", "tf.nn.")) else value


FUNCTIONS: dict[str, Run] = {
    **{f"keras.{kind}s.serialize": _serialize for kind in WORDS},
    **{f"keras.{kind}s.{word}": partial(_get, kind) for kind in WORDS for word in ("deserialize", "get")},
    **{f"keras.{kind}s.{word}": partial(_make, name) for kind, classes in _CLASSES.items() for name in classes for word in (name, snake(name), name.lower())},
    **{f"keras.{kind}s.{word}": partial(_make, name) for kind, others in _ALSO.items() for word, name in others.items()},
    "keras.initializers.STFTInitializer": partial(_make, "STFT"), **{f"tf.initializers.{name}": partial(_make, name) for name in INITIALIZERS},
}  # fmt: skip


_BASE = {"get_config": lambda m, me, a, k, n: Dict(m.heap.entries({}))}
CLASSES = {
    name: ClassModel(name, methods=_BASE, init=nothing)
    for name in ("keras.initializers.Initializer", "keras.regularizers.Regularizer", "keras.constraints.Constraint")
}
