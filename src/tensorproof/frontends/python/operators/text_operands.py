"""Operators and comparisons with a text or bytes that is not known: what Python refuses for every text."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any

from tensorproof.terms.ints import Term
from tensorproof.values.objects import Dict, List, Set
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def refuse(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST) -> None:
    """TypeError where the kinds of the operands alone say it. Which arguments `%` takes is said by the text."""
    if word == "mod" or not (_is_unknown_text(a) or _is_unknown_text(b)):
        return
    act: Any = getattr(operator, word, None) or getattr(operator, f"{word}_", None)
    try:
        act(_of_kind(a), _of_kind(b))
    except TypeError as error:
        raise m.raised("TypeError", str(error), node) from None
    except Exception:
        return


def _is_unknown_text(value: Value) -> bool:
    return type(value) is Unknown and value.text is not value.octets


def _of_kind(value: Value) -> object:
    """A value of the operand's kind; ValueError where that is not known."""
    match value:
        case None | bool() | str() | bytes() | float():
            return value
        case int() | Term():
            return 1
        case List() | Set() | Dict() | tuple():
            return {List: [], Set: set(), Dict: {}}.get(type(value), ())
        case Unknown() if value.number or value.text is not value.octets:
            return "a" if value.text else b"a" if value.octets else 1.0 if value.number == "float" else 1
        case _:
            raise ValueError
