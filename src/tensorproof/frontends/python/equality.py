"""Whether values are equal, in order, or in a container."""

from __future__ import annotations

import ast
import operator
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorproof.terms.dtypes import BY_LABEL, DType
from tensorproof.terms.ints import Term, ite
from tensorproof.terms.predicates import Predicate, Truth, conj, disj, eq, negate
from tensorproof.terms.tensor import TensorType
from tensorproof.values.many import uncounted as has_many
from tensorproof.values.objects import OPEN, Choice, Dict, Instance, List, Set
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

_ORDER = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}


def equal(a: Any, b: Any) -> Truth | None:
    """Whether two values are equal; None when it cannot be told."""
    if a is b:
        return True
    if isinstance(a, Unknown) or isinstance(b, Unknown) or isinstance(a, (TensorType, Choice)) or isinstance(b, (TensorType, Choice)):
        return None
    if type(a) is Term or type(b) is Term or isinstance(a, Predicate) or isinstance(b, Predicate):
        x, y = number(a), number(b)
        if type(x) in (int, Term) and type(y) in (int, Term):
            return eq(x, y)
        return None if isinstance(a, float) or isinstance(b, float) else False
    if isinstance(a, (List, tuple)) and isinstance(b, (List, tuple)):
        if isinstance(a, List) is not isinstance(b, List):
            return False
        x, y = (a.items if isinstance(a, List) else a), (b.items if isinstance(b, List) else b)
        if has_many(x) or has_many(y):
            return None
        if len(x) != len(y):
            return False
        parts = [equal(p, q) for p, q in zip(x, y)]
        if any(p is False for p in parts):
            return False
        return None if any(p is None for p in parts) else conj(*(p for p in parts if p is not None))
    if isinstance(a, Dict) and isinstance(b, Dict):
        if set(a.items) != set(b.items):
            return False
        parts = [equal(v, b.items[k]) for k, v in a.items.items()]
        if any(p is False for p in parts):
            return False
        return None if any(p is None for p in parts) else conj(*(p for p in parts if p is not None))
    if isinstance(a, Set) and isinstance(b, Set):
        if has_many(a.items) or has_many(b.items):
            return None
        return len(a.items) == len(b.items) and all(any(same(x, y) for y in b.items) for x in a.items)
    if type(a) is not type(b) and isinstance(a if isinstance(a, DType) else b, DType):
        return None if _named_type(a, b) else False
    try:
        return bool(a == b)
    except Exception:
        return None


_PYTHON = {float: "f", int: "i", bool: "b", complex: "c"}
_WORDS = {"float": "float64", "int": "int64", "double": "float64", "half": "float16", "single": "float32"}


def _named_type(a: Any, b: Any) -> bool:
    """Whether a word or a class of Python may name an element type: NumPy and TensorFlow say so, torch does not."""
    kind, other = (a, b) if isinstance(a, DType) else (b, a)
    if isinstance(other, str):
        found = BY_LABEL.get(_WORDS.get(other, other))
        return kind is found if found is not None else len(other) < 4
    return type(other) is type and _PYTHON.get(other) == kind.kind


def element_types(m: Interpreter, a: Any, b: Any) -> Truth | None:
    """Whether an element type is what a word or a class of Python names; None where torch may have a say."""
    found = equal(a, b)
    word = b if isinstance(a, DType) else a
    certain = isinstance(word, str) and (BY_LABEL.get(_WORDS.get(word, word)) is not None)
    return True if found is None and certain and "torch" not in m.modules.main_source.text else found


def number(x: Any) -> Any:
    """A truth value as the number that it is in arithmetic."""
    return ite(x, 1, 0) if isinstance(x, Predicate) else int(x) if isinstance(x, bool) else x


def same(a: Any, b: Any) -> bool:
    return equal(a, b) is True


def surely_same(m: Interpreter, a: Any, b: Any, node: ast.AST) -> bool:
    """Whether two values are equal, where it must be known: the run forks on it."""
    from tensorproof.frontends.python.iteration import decided

    found = equal_objects(m, a, b, node)
    return found is not None and decided(m, found)


def same_member(m: Interpreter, a: Any, b: Any, node: ast.AST) -> bool:
    """Whether two items of a set are one: values whose hashes differ, as those of unlike objects do, are not compared by `==`."""
    unlike = isinstance(a, Instance) is not isinstance(b, Instance) and not isinstance(a, (str, int)) and not isinstance(b, (str, int))
    return not unlike and surely_same(m, a, b, node)


def count(m: Interpreter, items: Any, item: Any, node: ast.AST) -> Any:
    """How many items are equal to one."""
    total: Any = 0
    for one in items:
        found = equal_items(m, one, item, node)
        if found is None:
            return Unknown("count")
        total = total + number(found)
    return total


def compare(m: Interpreter, word: str, a: Any, b: Any, node: ast.AST) -> Any:
    if getattr(a, "view", "") or getattr(b, "view", ""):
        from tensorproof.frontends.python.set_algebra import as_set

        a, b = as_set(m, a), as_set(m, b)
    if word in ("eq", "ne"):
        found = equal_objects(m, a, b, node)
        return Unknown(word) if found is None else found if word == "eq" else negate(found)
    if isinstance(a, Set) and isinstance(b, Set):
        from tensorproof.frontends.python.set_algebra import ordered

        return ordered(m, word, a, b, node)
    if isinstance(a, (List, tuple)) and isinstance(b, (List, tuple)) and isinstance(a, List) is isinstance(b, List):
        return _order(m, word, list(a.items) if isinstance(a, List) else list(a), list(b.items) if isinstance(b, List) else list(b), node)
    raise m.raised("TypeError", f"{type(a).__name__.lower()} and {type(b).__name__.lower()} have no order", node)


def equal_objects(m: Interpreter, a: Any, b: Any, node: ast.AST) -> Truth | None:
    """Equality that may call the program's own `__eq__` inside containers."""
    if isinstance(a, (List, tuple)) and isinstance(b, (List, tuple)) and isinstance(a, List) is isinstance(b, List):
        x, y = (a.items if isinstance(a, List) else a), (b.items if isinstance(b, List) else b)
        if has_many(x) or has_many(y):
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


def equal_items(m: Interpreter, a: Any, b: Any, node: ast.AST) -> Truth | None:
    """Whether items of lists and tuples are equal: of tensors, `==` must have one truth."""
    if isinstance(a, TensorType) or isinstance(b, TensorType):
        from tensorproof.frontends.python.tensor_equality import equal_tensors

        return equal_tensors(m, a, b, node)
    return equal_objects(m, a, b, node)


def _order(m: Interpreter, word: str, x: list[Any], y: list[Any], node: ast.AST) -> Any:
    for i, (p, q) in enumerate(zip(x, y)):
        found = equal_objects(m, p, q, node)
        if found is True:
            continue
        if found is None:
            return Unknown(word)
        op = {"lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE}[word]
        return m.branching.choose(found, partial(_order, m, word, x[i + 1 :], y[i + 1 :], node), partial(m.compare, op, p, q, node))
    return _ORDER[word](len(x), len(y))


def contains(m: Interpreter, container: Any, item: Any, node: ast.AST) -> Any:
    match container:
        case Unknown() | TensorType():
            return Unknown("in", number="bool")
        case Choice():
            return m.branching.choose(container.condition, lambda: contains(m, container.then, item, node), lambda: contains(m, container.other, item, node))
        case Dict() if isinstance(item, (Term, Choice, Predicate)):
            return contains(m, tuple(container.items), item, node)
        case Dict():
            if isinstance(item, Unknown):
                return Unknown("in", number="bool") if container.items else False
            return True if hashable(m, item, node) in container.items else Unknown("in", number="bool") if OPEN in container.items else False
        case List() | tuple() | Set():
            items = container if isinstance(container, tuple) else container.items
            parts: list[Truth] = []
            alike = equal_objects if isinstance(container, Set) else equal_items
            for one in items:
                found = alike(m, one, item, node)
                if found is True:
                    parts.append(True)
                    break
                if found is None:
                    return Unknown("in", number="bool")
                parts.append(found)
            return disj(*parts)
        case Instance():
            return m.contains_instance(container, item, node)
        case str():
            if isinstance(item, Unknown):
                return Unknown("in", number="bool")
            from tensorproof.frontends.python.operations import plain

            return plain(m, operator.contains, (container, item), node)
        case range():
            if isinstance(item, int):
                return item in container
            few = isinstance(item, (Term, Choice, Predicate)) and len(container) <= 64
            return contains(m, tuple(container), item, node) if few else Unknown("in", number="bool")
        case _:
            items_ = m.iterate(container, node)
            return Unknown("in", number="bool") if items_ is None else contains(m, tuple(items_), item, node)


def hashable(m: Interpreter, item: Any, node: ast.AST) -> Any:
    from tensorproof.frontends.python.subscripts import key

    return key(m, item, node)
