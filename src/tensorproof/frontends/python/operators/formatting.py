"""Texts made of values: f-strings, `%` and `str.format`. What is not known costs the text and no more."""

from __future__ import annotations

import ast
import operator
import re
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.attributes.lookup import in_class
from tensorproof.frontends.python.containers.plain_values import host
from tensorproof.frontends.python.operators import host_calls, type_rules
from tensorproof.libraries import layers, library_objects
from tensorproof.libraries.plain import exception_text
from tensorproof.libraries.tensorflow import traced
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Choice, Class, Dict, Function, Instance, List, Model
from tensorproof.values.python_values import TEXT, Named, Summary, Unknown, joined_text

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_MOST = BUDGETS.containers.open_parts_of_text
_PLAIN = (str, int, float, bool, complex, bytes, type(None))


def concatenated(m: Interpreter, parts: list[Any]) -> Value:
    """The parts of an f-string as one text; a part of two values makes two texts."""
    if any(isinstance(p, Unknown) for p in parts):
        return joined_text(parts)
    open_ = [i for i, p in enumerate(parts) if isinstance(p, Choice)]
    if not open_:
        return "".join(parts) if all(isinstance(p, str) for p in parts) else TEXT
    if len(open_) > _MOST:
        return TEXT
    i, one = open_[0], parts[open_[0]]
    return m.branching.choose(
        one.condition, lambda: concatenated(m, [*parts[:i], one.then, *parts[i + 1 :]]), lambda: concatenated(m, [*parts[:i], one.other, *parts[i + 1 :]])
    )


def own_text(m: Interpreter, value: Any, names: tuple[str, ...], args: tuple[Value, ...], node: ast.AST) -> Value:
    """What a method of the program's own makes of its object; MISSING when there is none."""
    for name in names:
        found, _ = in_class(m, value.cls, name)
        if isinstance(found, Function):
            return m.call(Bound(found, value), args if name == "__format__" else (), {}, node)
        if name == "__str__" and "args" in value.space and any(isinstance(c, type) and issubclass(c, BaseException) for c in value.cls.mro):
            return exception_text("KeyError" if KeyError in value.cls.mro else "", value.space["args"])
    if "__repr__" in names:
        layers.printed(m, value, node)
    return MISSING


def shown(m: Interpreter, value: Value, node: ast.AST) -> Value:
    """A value for `%` and `format`: itself where it is plain, the text of the program's own objects, TEXT otherwise."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, Instance):
        found = own_text(m, value, ("__str__", "__repr__"), (), node)
        return found if isinstance(found, str) else TEXT
    try:
        found = host(m, value)
    except ValueError:
        return TEXT
    return TEXT if isinstance(found, (set, frozenset)) or hasattr(found, "__next__") else found


_HOMES = {"torch.Tensor": "torch.Tensor", "numpy.ndarray": "numpy.ndarray", "torch.nn.Parameter": "torch.nn.parameter.Parameter"}
"""Where classes of libraries say that they are defined."""


def class_text(cls: Class | Named | type) -> Value:
    """What `str` says of a class: where it stands inside another, or in a function, its full name is not known."""
    if isinstance(cls, type):
        return str(cls)
    if isinstance(cls, Named):
        return f"<class '{_HOMES[cls.name]}'>" if cls.name in _HOMES else TEXT
    home = cls.module
    return f"<class '{home.name}.{cls.name}'>" if home is not None and home.space.get(cls.name) is cls and cls.meta is None else TEXT


_NUMERIC = r"%[-+ #0-9.]*[dioxXeEfFgG]"


def _refuse_several(m: Interpreter, text: str, asked: tuple[Value, ...], node: ast.AST) -> None:
    """A tensor of several elements is no number for `%d` and its like."""
    words = re.findall(r"%[-+ #0-9.]*([a-zA-Z%])", text)
    if "*" in text or [w for w in words if w != "%"] == [] or len(words) - words.count("%") != len(asked):
        return
    for word, value in zip((w for w in words if w != "%"), asked):
        if not isinstance(value, TensorType) or value.framework != "torch":
            continue
        if word in "oxX":
            raise m.raised("TypeError", f"%{word} takes a whole number, and this is a tensor", node, "python/format")
        if word in "dieEfFgG" and value.shape.concrete and value.shape.numel != 1:
            raise m.raised("ValueError", f"%{word} takes one number, and this is a tensor of shape {value.shape!r}", node, "python/format")


def percent(m: Interpreter, text: str, values: Value, node: ast.AST) -> Any:
    """`text % values`: how many values it takes is checked even where they are not known."""
    if isinstance(values, Choice):
        return m.branching.choose(values.condition, lambda: percent(m, text, values.then, node), lambda: percent(m, text, values.other, node))
    if isinstance(values, Unknown):
        if values.number or values.text:
            type_rules.refuse(m, operator.mod, (text, values), node, (TypeError, ValueError))
        return TEXT
    if isinstance(values, Dict):
        named = {k: shown(m, v, node) for k, v in values.items.items()}
        known = not any(isinstance(v, Unknown) for v in named.values())
        given: Value = {k: 1 if isinstance(v, Unknown) else v for k, v in named.items() if isinstance(k, str)}
    else:
        asked = values if isinstance(values, tuple) else (values,)
        if re.search(_NUMERIC, text):
            for one in asked:
                traced.refuse_truth(m, one, node, "a format of numbers")
            _refuse_several(m, text, asked, node)
        listed = [shown(m, v, node) for v in asked]
        known = not any(isinstance(v, Unknown) for v in listed)
        given = tuple(1 if isinstance(v, Unknown) else v for v in listed)
    if isinstance(values, Dict) and not known and any(isinstance(v, Unknown) for v in values.items):
        return TEXT
    if not known:
        type_rules.refuse(m, operator.mod, (text, values), node, (TypeError, ValueError))
    made = host_calls.plain(m, operator.mod, (text, given), node)
    return made if known else TEXT


def text(m: Interpreter, value: Value, spec: Value, conversion: int, node: ast.AST) -> Value:
    """A value in an f-string; what is not known stays so."""
    if isinstance(value, (str, int, float, bool, complex, type(None))) and isinstance(spec, str):
        shown: Value = repr(value) if conversion == 114 else str(value) if conversion == 115 else value
        return host_calls.plain(m, format, (shown, spec), node)
    if isinstance(value, Unknown) and value.text and not spec and conversion != 114:
        return value
    if isinstance(value, (Class, Named, type)) and not spec:
        return class_text(value)
    if isinstance(value, Function) and not spec:
        return value.name
    if isinstance(value, Instance):
        names = ("__repr__",) if conversion == 114 else ("__str__", "__repr__") if conversion == 115 else ("__format__", "__str__", "__repr__")
        found = own_text(m, value, names, (spec,), node)
        return found if isinstance(found, str) and (not spec or conversion == -1) else TEXT
    if isinstance(value, (List, Dict, tuple)) and not spec:
        return m.call(str, (value,), {}, node)
    if isinstance(value, Model):
        return library_objects.model_text(m, value)
    formatted = conversion == -1 and isinstance(spec, str) and spec != ""
    if formatted and type(value) is TensorType and value.graph is not None:
        traced.refuse(m, f"the format {spec!r}", value, node)
    if formatted and isinstance(value, TensorType) and value.framework in ("torch", "tf") and value.shape.known and len(value.shape) > 0:
        raise m.raised("TypeError", f"only a tensor without axes takes the format {spec!r}, this one is {value.shape!r}", node, "python/format")
    if formatted:
        type_rules.refuse(m, format, (value, spec), node, (TypeError, ValueError))
    if isinstance(value, Choice):
        return m.branching.choose(value.condition, lambda: text(m, value.then, spec, conversion, node), lambda: text(m, value.other, spec, conversion, node))
    return TEXT


def check_fields(m: Interpreter, template: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> None:
    """`template.format(…)` with values that are not known: each field needs an argument all the same."""
    if any(type(one) is Summary for one in args) or any(type(key) is not str for key in kwargs):
        return
    from string import Formatter  # no program without such a text needs it

    try:
        parsed = [(field, spec or "") for _, field, spec, _ in Formatter().parse(template) if field is not None]
    except ValueError as error:
        raise m.raised("ValueError", str(error), node, "python/format") from None
    for at, (field, spec) in enumerate(parsed):
        name = re.split(r"[.\[]", field, maxsplit=1)[0] or str(at)
        if name.isdigit() and int(name) >= len(args):
            raise m.raised("IndexError", f"the text has a field for argument {int(name) + 1}, and format gets {len(args)}", node, "python/format")
        if not name.isdigit() and name not in kwargs:
            raise m.raised("KeyError", f"the text has a field {name}, and format gets no such argument", node, "python/format")
        given = args[int(name)] if name.isdigit() else kwargs[name]
        plain = name in (field, str(at)) and "{" not in spec
        if plain and spec and isinstance(given, TensorType):
            text(m, given, spec, -1, node)
        elif plain and spec:
            type_rules.refuse(m, format, (given, spec), node, (TypeError, ValueError))
