"""torchvision.transforms, versions 1 and 2, and their functional forms: what each does to a picture's channels and sides."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from tensorproof.libraries import Bound, KindModel, Run, always, bind, by_signature, signatures
from tensorproof.libraries.results.facts import others
from tensorproof.libraries.torchvision import pictures as rules
from tensorproof.libraries.torchvision.pictures import each_side
from tensorproof.libraries.torchvision.pillow import is_image
from tensorproof.terms import Origin, TensorType, eq
from tensorproof.values import MISSING, Args, Choice, Key, Kwargs, List, Machine, Model, Native, Unknown, Value, slot

GIVEN: Key[Kwargs] = slot("given")

V1, V2 = "torchvision.transforms.", "torchvision.transforms.v2."
RULES: dict[str, Run] = {name: getattr(rules, rule) for name, rule in others("torchvision/transforms").items()}
"""Of a class and of a function of a picture: what it does."""
_WHOLE = ("Compose", "RandomApply", "RandomChoice", "RandomOrder", "Lambda", "CutMix", "MixUp")


@cache
def _signed(home: str, name: str) -> str:
    """The name whose signature a name has: what is in one version only has it in the other as well."""
    names = (home + name, V1 + name, V2 + name, f"{V1}functional.{name}", f"{V2}functional.{name}")
    return next(one for one in names if signatures.row(one) is not None)


def _by_signature(home: str, name: str, run: Callable[[Machine, Bound], Value], m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The signature is looked up when the function is called."""
    return run(m, bind(m, _signed(home, name), args, kwargs, node))


def _maker(name: str, m: Machine, call: Bound) -> Model:
    if name == "Normalize":
        rules.check_normalize(m, call.values, call.node)
    return Model(V1 + name, m.heap.space({"given": m.heap.space(dict(call.values))}), m.user_span(call.node))


def apply(m: Machine, name: str, given: Value, x: Value, node: ast.AST) -> Value:
    """One transform of one picture."""
    if isinstance(x, Choice):
        return m.branching.choose(x.condition, lambda: apply(m, name, given, x.then, node), lambda: apply(m, name, given, x.other, node))
    if isinstance(x, Unknown):
        return m.gap(name, node, f"the picture is not known: {x.reason}")
    return RULES[name](m, given, x, node)


def _call(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name, given = me.kind.removeprefix(V1), me.space[GIVEN]
    if not args:
        args = tuple(kwargs.values())
    if name == "Lambda":
        return m.call(given.get("lambd"), args, {}, node)
    if name in ("CutMix", "MixUp"):
        return _mixed(m, given, args, node)
    if name in _WHOLE:
        return _whole(m, name, given, args, node)
    if len(args) == 1:
        if type(args[0]) is tuple:
            return tuple(_if_picture(m, name, given, v, node) for v in args[0])
        return apply(m, name, given, args[0], node)
    return tuple(_if_picture(m, name, given, v, node, i == 0) for i, v in enumerate(args))


def _if_picture(m: Machine, name: str, given: Value, value: Value, node: ast.AST, first: bool = True) -> Value:
    if is_image(value) or (first and isinstance(value, TensorType)) or isinstance(value, Choice):
        return apply(m, name, given, value, node)
    return value


def _whole(m: Machine, name: str, given: Any, args: Args, node: ast.AST) -> Value:
    listed = m.iterate(given["transforms"], node)
    if listed is None:
        return m.gap(V1 + name, node, "of transforms that are not known")

    def all_of() -> Value:
        value: Any = args
        for one in listed:
            result = m.call(one, value, {}, node)
            value = result if type(result) is tuple and len(args) > 1 else (result,)
        return value[0] if len(args) == 1 else value

    if name in ("Compose", "RandomOrder"):
        return all_of()
    drawn = m.symbol(m.name_here("the transform drawn", node), 0, max(len(listed) - 1, 1), Origin.WORLD)
    if name == "RandomApply":
        return m.branching.choose(eq(drawn, 1), all_of, lambda: args[0] if len(args) == 1 else args)
    result: Value = MISSING
    for i in reversed(range(len(listed))):
        if result is MISSING:
            result = m.call(listed[i], args, {}, node)
        else:
            result = m.branching.choose(eq(drawn, i), partial(m.call, listed[i], args, {}, node), always(result))
    return result


def _mixed(m: Machine, given: Any, args: Args, node: ast.AST) -> Value:
    """A batch and its labels: the labels become rows of weights."""
    from tensorproof.terms.dtypes import FLOAT32
    from tensorproof.terms.shapes import Shape

    batch = args if len(args) == 2 else args[0] if isinstance(args[0], tuple) else tuple(args[0].items) if isinstance(args[0], List) else None
    classes = given.get("num_classes")
    if batch is None or len(batch) != 2 or not isinstance(batch[1], TensorType) or not batch[1].shape.known or classes is None:
        return m.gap("CutMix or MixUp", node, "the batch is not known")
    return batch[0], TensorType(Shape((batch[1].shape[0], classes)), FLOAT32)


def _functional(name: str, rule: Any) -> Callable[[Any, Bound], Value]:
    """A function of a picture, which is its first argument under one name or another."""

    def run(m: Machine, call: Bound) -> Value:
        first, *others = signatures.names(call.name)
        given = {key: call.values[key] for key in others if call.given(key)}
        if "output_size" in given:
            given["size"] = given["output_size"]
        return of(m, call.value(first, Unknown("nothing")), given, call.node)

    def of(m: Machine, picture: Value, given: Kwargs, node: ast.AST) -> Value:
        if isinstance(picture, Choice):
            return m.branching.choose(picture.condition, lambda: of(m, picture.then, given, node), lambda: of(m, picture.other, given, node))
        if isinstance(picture, Unknown):
            return m.gap(name, node, f"the picture is not known: {picture.reason}")
        return rule(m, given, picture, node)

    return run


def _crop_place(m: Machine, call: Bound) -> Value:
    """RandomCrop.get_params(image, size): where a crop begins, and its size."""
    height, width = each_side(m, call.value("output_size"), call.node)
    outside = Unknown("a place in a picture")
    return outside, outside, height, width


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Any:
    given = me.space[GIVEN]
    if name == "transforms" and name in given:
        return given[name]
    if name == "forward":
        return Native("forward", lambda machine, args, kwargs, at: _call(machine, me, args, kwargs, at))
    return given.get(name, MISSING)


def _sides_of(m: Machine, call: Bound) -> Value:
    x = call.value(signatures.names(call.name)[0])
    found = rules.sides(m, x, call.node) if is_image(x) or isinstance(x, TensorType) else None
    return Unknown("size") if found is None else List(m.heap.row((found[1], found[0])))


def _dimensions(m: Machine, call: Bound) -> Value:
    x = call.value(signatures.names(call.name)[0])
    found = rules.sides(m, x, call.node) if is_image(x) or isinstance(x, TensorType) else None
    return Unknown("size") if found is None else List(m.heap.row((rules.channels_of(x), *found)))


_ALL = (*(name for name in RULES if name[0].isupper()), *_WHOLE)
_HOMES = (V1, V2, V1 + "transforms.", V1 + "autoaugment.")
_OF_PICTURES = {**{n: _functional(n, rule) for n, rule in RULES.items() if n[0].islower()}, "get_image_size": _sides_of, "get_dimensions": _dimensions}
FUNCTIONS: dict[str, Run] = {
    **{home + n: partial(_by_signature, home, n, partial(_maker, n)) for n in _ALL for home in _HOMES},
    **{home + n: partial(_by_signature, home, n, run) for n, run in _OF_PICTURES.items() for home in (V1 + "functional.", V2 + "functional.")},
    V1 + "RandomCrop.get_params": by_signature(V1 + "RandomCrop.get_params", _crop_place),
}
KINDS = {V1 + n: KindModel(attribute=_attribute, call=_call, open=True, bases=("torch.nn.Module",)) for n in _ALL}
