"""What Python's own type rules refuse of values that are not known: an operator or a function that raises for their types, whichever they are."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.containers.samples import sample
from tensorproof.frontends.python.operators.host_calls import resolved, too_large
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import Dict, List, Set
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

Kinds = type[Exception] | tuple[type[Exception], ...]
_STRICT = frozenset((dict, enumerate, frozenset, getattr, hasattr, isinstance, iter, list, map, max, min, reversed, set, sorted, tuple, zip, all, any))
"""Functions that look at no more than the types of what they are given, beside the pure ones."""


def refuse(m: Interpreter, function: Any, args: tuple[Value, ...], node: ast.AST, kind: Kinds = TypeError, named: dict[str, Value] | None = None) -> None:
    """Raise what a function of Python raises for every value of these types; a gap where it raises for some."""
    raised: Exception | None = None
    for whole in (False, True):
        try:
            given, words = tuple(sample(one, whole) for one in args), {key: sample(one, whole) for key, one in (named or {}).items()}
        except ValueError:
            return
        if too_large(function, given, words) is not None:
            return
        try:
            function(*given, **words)
        except kind as error:
            raised = error
        except Exception:
            return
        else:
            if raised is not None:
                m.gap(getattr(function, "__name__", "operator"), node, "whether a number is a whole one is not known")
            return
    raise m.raised(type(raised).__name__, str(raised), node)


def refuse_operator(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST, in_place: bool = False) -> None:
    """An operator or a comparison of two values; which arguments `%` of a text takes is said by the text."""
    if word == "mod" and (isinstance(a, str) or (type(a) is Unknown and not a.number)):
        return
    if _typed(a) or _typed(b):
        name = f"i{word}" if in_place and isinstance(a, (List, Set, Dict)) else word
        refuse(m, getattr(operator, name, None) or getattr(operator, f"{word}_"), (a, b), node)


def refuse_call(m: Interpreter, function: Any, args: tuple[Value, ...], named: dict[str, Value], node: ast.AST, symbols: bool = False) -> None:
    """A call of one of Python's functions, or of a method of a plain value."""
    kinds = {type(one) for one in (*args, *named.values())}
    if Unknown not in kinds and not (Term in kinds and (symbols or _is_strict(function))):
        return
    pure = resolved(function, args)
    if pure is not None:
        refuse(m, pure[0], pure[1], node, (TypeError, ValueError) if pure[0] is format else TypeError, named)
    elif _is_strict(function):
        refuse(m, function, args, node, TypeError, named)


def refuse_index(m: Interpreter, owner: Value, index: Value, node: ast.AST) -> None:
    """Neither a place in a list or a tensor nor an end of a slice is a float or a text."""
    if not isinstance(owner, (List, tuple, str, bytes, TensorType)):
        return
    for part in index if type(index) is tuple and isinstance(owner, TensorType) else (index,):
        if type(part) is slice:
            if Unknown in (type(part.start), type(part.stop), type(part.step)):
                refuse(m, operator.getitem, ((), part), node)
        elif type(part) is Unknown and _typed(part):
            if not isinstance(owner, TensorType):
                refuse(m, operator.getitem, ((1,), part), node)
            elif part.number == "float":
                kind = "IndexError" if owner.framework in ("torch", "numpy") else "TypeError"
                raise m.raised(kind, "a tensor is indexed by whole numbers, and this is a float: write int(…)", node, "python/index")


def _is_strict(function: Any) -> bool:
    try:
        return function in _STRICT
    except TypeError:
        return False


def _typed(value: Value) -> bool:
    """Whether a value is not known and its type is."""
    if type(value) is not Unknown:
        return type(value) in (Term, Predicate)
    return bool(value.number or value.ratio is not None or value.text is not value.octets)
