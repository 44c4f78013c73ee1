"""Decorators. One that is not known keeps the function or class that it gets: that is what people use them for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.terms.records import replace
from tensorproof.values.objects import Bound, Class, ClassMethod, Function, Model, StaticMethod
from tensorproof.values.python_values import Layer, Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def decorated(m: Interpreter, decorator: Value, made: Value, node: ast.AST) -> Value:
    """What a decorator makes of a function or class. The call of one that is not known is a gap, and what it got stays."""
    if isinstance(decorator, Function) and _documents(decorator):
        return made
    got = m.call(decorator, (made,), {}, node)
    if not isinstance(got, Unknown) or not isinstance(decorator, (Unknown, Named)):
        return got
    if isinstance(made, Function):
        return replace(made, wrapped=True)
    if isinstance(made, (ClassMethod, StaticMethod, Model, Layer, Bound)):
        return made
    if isinstance(made, Class):
        made.mro = (*made.mro, Unknown("decorator"))
        return made
    return got


def _documents(decorator: Function) -> bool:
    """Whether a package's decorator writes documentation, as its name says: that needs no reading."""
    return "docstring" in decorator.name and decorator.module is not None and decorator.module.foreign
