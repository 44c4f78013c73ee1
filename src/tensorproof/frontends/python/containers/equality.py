"""Whether values are equal, in order, or in a container."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.branching.deciding import decided
from tensorproof.frontends.python.containers.tensor_equality import equal_tensors
from tensorproof.terms.dtypes import BY_LABEL, DType
from tensorproof.terms.ints import Term, ite
from tensorproof.terms.predicates import Predicate, Truth, conj, eq
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import Choice, Dict, Instance, List, Set
from tensorproof.values.python_values import Unknown
from tensorproof.values.summaries import is_summarised

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


_OPEN = (Unknown, TensorType, Choice)


def equal(a: Value, b: Value) -> Truth | None:
    """Whether two values are equal; None when it is unknown."""
    if a is b:
        return True
    if isinstance(a, _OPEN) or isinstance(b, _OPEN):
        return None
    if isinstance(a, (Term, Predicate)) or isinstance(b, (Term, Predicate)):
        return _equal_numbers(a, b)
    if isinstance(a, (List, tuple)) and isinstance(b, (List, tuple)):
        return _equal_sequences(a, b)
    if isinstance(a, Dict) and isinstance(b, Dict):
        return _all_equal([(v, b.items[k]) for k, v in a.items.items()]) if set(a.items) == set(b.items) else False
    if isinstance(a, Set) and isinstance(b, Set):
        if is_summarised(a.items) or is_summarised(b.items):
            return None
        return len(a.items) == len(b.items) and all(any(same(x, y) for y in b.items) for x in a.items)
    if type(a) is not type(b) and (isinstance(a, DType) or isinstance(b, DType)):
        return None if _named_type(a, b) else False
    try:
        return bool(a == b)
    except Exception:
        return None


def _equal_numbers(a: Value, b: Value) -> Truth | None:
    """Equality where one side at least is a symbolic number or truth value."""
    x, y = number(a), number(b)
    if type(x) in (int, Term) and type(y) in (int, Term):
        return eq(x, y)
    return None if isinstance(a, float) or isinstance(b, float) else False


def _equal_sequences(a: List | tuple[Value, ...], b: List | tuple[Value, ...]) -> Truth | None:
    if isinstance(a, List) is not isinstance(b, List):
        return False
    x, y = (a.items if isinstance(a, List) else a), (b.items if isinstance(b, List) else b)
    if is_summarised(x) or is_summarised(y):
        return None
    return _all_equal(list(zip(x, y))) if len(x) == len(y) else False


def _all_equal(pairs: list[tuple[Value, Value]]) -> Truth | None:
    parts = [equal(p, q) for p, q in pairs]
    if any(p is False for p in parts):
        return False
    return None if any(p is None for p in parts) else conj(*(p for p in parts if p is not None))


_PYTHON = {float: "f", int: "i", bool: "b", complex: "c"}
_WORDS = {"float": "float64", "int": "int64", "double": "float64", "half": "float16", "single": "float32"}


def _named_type(a: Value, b: Any) -> bool:
    """Whether a word or a class of Python may name an element type: NumPy and TensorFlow say so, torch does not."""
    kind, other = (a, b) if isinstance(a, DType) else (b, a)
    if isinstance(other, str):
        found = BY_LABEL.get(_WORDS.get(other, other))
        return kind is found if found is not None else len(other) < 4
    return type(other) is type and _PYTHON.get(other) == kind.kind


def element_types(m: Interpreter, a: Value, b: Value) -> Truth | None:
    """Whether an element type is what a word or a class of Python names; None where torch may have a say."""
    found = equal(a, b)
    word = b if isinstance(a, DType) else a
    certain = isinstance(word, str) and (BY_LABEL.get(_WORDS.get(word, word)) is not None)
    return True if found is None and certain and "torch" not in m.modules.main_source.text else found


def number(x: Value) -> Any:
    """A truth value as the number that it is in arithmetic."""
    return ite(x, 1, 0) if isinstance(x, Predicate) else int(x) if isinstance(x, bool) else x


def same(a: Value, b: Value) -> bool:
    return equal(a, b) is True


def surely_same(m: Interpreter, a: Value, b: Value, node: ast.AST) -> bool:
    """Whether two values are equal, where it must be known: the run forks on it."""
    found = equal_objects(m, a, b, node)
    return found is not None and decided(m, found)


def same_member(m: Interpreter, a: Value, b: Value, node: ast.AST) -> bool:
    """Whether two items of a set are one: values whose hashes differ, as those of unlike objects do, are not compared by `==`."""
    unlike = isinstance(a, Instance) is not isinstance(b, Instance) and not isinstance(a, (str, int)) and not isinstance(b, (str, int))
    return not unlike and surely_same(m, a, b, node)


def count(m: Interpreter, items: Any, item: Value, node: ast.AST) -> Value:
    """How many items are equal to one."""
    total: Value = 0
    for one in items:
        found = equal_items(m, one, item, node)
        if found is None:
            return Unknown("count")
        total = total + number(found)
    return total


def equal_objects(m: Interpreter, a: Value, b: Value, node: ast.AST) -> Truth | None:
    """Equality that may call the program's own `__eq__` inside containers."""
    if isinstance(a, (List, tuple)) and isinstance(b, (List, tuple)) and isinstance(a, List) is isinstance(b, List):
        x, y = (a.items if isinstance(a, List) else a), (b.items if isinstance(b, List) else b)
        if is_summarised(x) or is_summarised(y):
            return None
        if len(x) != len(y):
            return False
        parts: list[Truth] = []
        for p, q in zip(x, y):
            found = equal_items(m, p, q, node)
            if found is None:
                return None
            if found is False:
                return False
            parts.append(found)
        return conj(*parts)
    if a is b:
        return True
    if isinstance(a, (Instance, Choice)) or isinstance(b, (Instance, Choice)):
        result = m.compare(ast.Eq, a, b, node)
        return None if isinstance(result, Unknown) else m.truth(result, node)
    if isinstance(a, Dict) and isinstance(b, Dict) and list(a.items) == list(b.items):
        return equal_objects(m, tuple(a.items.values()), tuple(b.items.values()), node)
    return equal(a, b)


def equal_items(m: Interpreter, a: Value, b: Value, node: ast.AST) -> Truth | None:
    """Whether items of lists and tuples are equal: of tensors, `==` must have one truth."""
    if isinstance(a, TensorType) or isinstance(b, TensorType):
        return equal_tensors(m, a, b, node)
    return equal_objects(m, a, b, node)
