"""Decorators. One that is not known keeps the function or class that it gets: that is what people use them for.

Classes are kept under a name: `build({"type": "Head", "width": 8}, HEADS)` of an unseen package makes one. The calls stay gaps.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.terms.records import replace
from tensorproof.values.objects import Bound, Class, ClassMethod, Dict, Function, Model, StaticMethod
from tensorproof.values.python_values import Layer, Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Args, Kwargs, Value

_STATE = "registered classes"
_VERBS = frozenset(("build", "create", "make", "construct", "instantiate"))
"""How functions begin that make an object of what is kept under a name."""


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
        _keep(m, made, node)
        return made
    return got


def _documents(decorator: Function) -> bool:
    """Whether a package's decorator writes documentation, as its name says: that needs no reading."""
    return "docstring" in decorator.name and decorator.module is not None and decorator.module.foreign


def _keep(m: Interpreter, made: Class, decorator: ast.AST) -> None:
    """Note a class under its own name, and under the texts that its decorator gets."""
    texts = {n.value for n in ast.walk(decorator) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    known = m.model_state.setdefault(_STATE, {})
    for word in {made.name, *texts}:
        known[word] = made if known.get(word, made) is made else None


def built(m: Interpreter, callee: str, args: Args, kwargs: Kwargs, node: ast.AST, lost: Value) -> Value:
    """What such a call makes of a class that is kept; `lost` where it names none, or where the class takes other arguments."""
    known = m.model_state.get(_STATE)
    if not known or callee.rpartition(".")[2].partition("_")[0] not in _VERBS or not args or not all(isinstance(v, Unknown) for v in args[1:]):
        return lost
    word, options = args[0], kwargs
    if isinstance(word, Dict) and not kwargs:
        names = [k for k, v in word.items.items() if isinstance(v, str) and known.get(v) is not None]
        options = {k: v for k, v in word.items.items() if k not in names}
        word = word.items[names[0]] if len(names) == 1 else None
    cls = known.get(word) if isinstance(word, str) else None
    if cls is None or not all(isinstance(k, str) for k in options) or not _takes(m, cls, options):
        return lost
    return m.call(cls, (), options, node)


def _takes(m: Interpreter, cls: Class, options: Kwargs) -> bool:
    """Whether a class takes exactly these arguments by name: else the package adds or keeps some."""
    init = m.in_class(cls, "__init__")
    if not isinstance(init, Function):
        return not options
    a = init.code.node.args
    placed = [*a.posonlyargs, *a.args][1:]
    needed = [*placed[: len(placed) - len(a.defaults)], *(one for one, default in zip(a.kwonlyargs, a.kw_defaults) if default is None)]
    names = {one.arg for one in (*placed, *a.kwonlyargs)}
    return {one.arg for one in needed} <= options.keys() and (a.kwarg is not None or options.keys() <= names)
