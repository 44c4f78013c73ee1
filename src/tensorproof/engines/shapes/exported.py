"""Nodes of an exported program of torch: arguments by position and keyword, symbolic numbers, writes in place, and the operators that hold graphs.

A symbolic number is a weak tensor without axes whose contents are its term.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import Outcome
from tensorproof.bindings.rows import rows
from tensorproof.engines.shapes.found import not_known
from tensorproof.graph import Attribute, DeclaredShape, Edge, Node
from tensorproof.terms.dtypes import BOOL, FLOAT64, INT64
from tensorproof.terms.ints import Dim, Origin, Term, floordiv, maximum, minimum, mod, product, symbol
from tensorproof.terms.predicates import Predicate, conj, disj, eq, ge, gt, le, lt, ne, negate
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import UNKNOWN_STRIDES, Storage, TensorType

if TYPE_CHECKING:
    from tensorproof.engines.shapes.propagate import Walk

_WITHOUT_EFFECT = frozenset(["device", "pin_memory", "non_blocking", "generator", "memory_format", "layout"])
"""Arguments that change no shape and no value, where a row does not name them; a sparse layout is another matter."""
_CHECKS = ("_assert", "sym_constrain", "_functional_assert", "_functional_sym", "_check", "_print")
"""Operators that look at their arguments and give nothing."""


def name_of(node: Node) -> str:
    """The spelling of a node: `aten.add.Tensor`; of other libraries of operators, their own names."""
    return f"aten.{node.spelling}" if not node.domain else f"{node.domain}.{node.spelling}"


def is_check(node: Node) -> bool:
    """Whether a node only looks at its arguments."""
    return not node.domain and node.spelling.startswith(_CHECKS)


def is_number(node: Node) -> bool:
    """Whether a node computes a symbolic number."""
    return "_number" in node.attributes


def number(value: Any, dtype: Any = INT64) -> TensorType:
    """A Python number as a value of the graph."""
    return TensorType(Shape(), dtype, weak=True, contents=None if value is None else (value,), framework="torch")


def arguments(walk: Walk, node: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a node by position, and by keyword."""
    given: list[Any] = []
    named: dict[str, Any] = {}
    for key, value in node.attributes.items():
        if key.startswith("_"):
            continue
        if key.isdecimal():
            given.append(resolved(walk, node, value))
        else:
            named[key] = resolved(walk, node, value)
    return tuple(given), _taken(name_of(node), named)


def _taken(name: str, named: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords, without those that say nothing of shapes and values and that no row of the spelling takes."""
    taken = {argument.theirs for row in rows(name) for argument in row.arguments}
    silent = {key for key, value in named.items() if key in _WITHOUT_EFFECT and key not in taken and (key != "layout" or value in (None, "torch.strided"))}
    return {key: value for key, value in named.items() if key not in silent}


def resolved(walk: Walk, node: Node, given: Attribute) -> Any:
    """An argument with the values that its edges name."""
    if isinstance(given, tuple):
        return tuple(resolved(walk, node, item) for item in given)
    if not isinstance(given, Edge):
        return given
    value = walk.value(given)
    if not value.weak:
        return value
    if value.contents is not None:
        return value.contents[0]
    if value.dtype is INT64:
        return symbol(f"{walk.place}{given.node}:{given.output_index}", origin=Origin.UNMODELLED)
    return value


# --- symbolic numbers ---


def _comparison(compare: Callable[[Dim, Dim], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: compare(a, b) if _whole(a) and _whole(b) else None


def _whole(value: object) -> bool:
    return isinstance(value, (int, Term))


def _arithmetic(exact: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: exact(a, b) if (_whole(a) and _whole(b)) or (isinstance(a, (int, float)) and isinstance(b, (int, float))) else None


def _logical(combine: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: combine(a, b) if isinstance(a, (bool, Predicate)) and isinstance(b, (bool, Predicate)) else None


_OF_TWO: dict[str, Callable[[Any, Any], Any]] = {
    "_operator.add": _arithmetic(operator.add),
    "_operator.sub": _arithmetic(operator.sub),
    "_operator.mul": _arithmetic(operator.mul),
    "_operator.floordiv": _arithmetic(lambda a, b: floordiv(a, b) if _whole(a) and _whole(b) else a // b),
    "_operator.mod": _arithmetic(lambda a, b: mod(a, b) if _whole(a) and _whole(b) else a % b),
    "_operator.eq": _comparison(eq),
    "_operator.ne": _comparison(ne),
    "_operator.le": _comparison(le),
    "_operator.lt": _comparison(lt),
    "_operator.ge": _comparison(ge),
    "_operator.gt": _comparison(gt),
    "_operator.and_": _logical(conj),
    "_operator.or_": _logical(disj),
    "torch.sym_max": _comparison(maximum),
    "torch.sym_min": _comparison(minimum),
}
_OF_ONE: dict[str, Callable[[Any], Any]] = {
    "_operator.neg": lambda a: 0 - a if _whole(a) else None,
    "_operator.pos": lambda a: a,
    "torch.sym_not": lambda a: negate(a) if isinstance(a, (bool, Predicate)) else None,
    "torch.sym_int": lambda a: a if _whole(a) else None,
    "math.trunc": lambda a: a if _whole(a) else None,
    "torch.sym_float": lambda a: float(a) if isinstance(a, int) else None,
    "torch.sym_sqrt": lambda a: math.sqrt(a) if isinstance(a, (int, float)) and a >= 0 else None,
}


def numbers(walk: Walk, node: Node) -> tuple[TensorType, ...]:
    """The symbolic number that a node computes; what the file says of it where it comes from data."""
    given = tuple(resolved(walk, node, value) for key, value in node.attributes.items() if not key.startswith("_"))
    made = _computed(name_of(node), given)
    claim = node.attributes["_number"]
    if made is None and isinstance(claim, DeclaredShape) and claim.axes:
        made = claim.axes[0]
    if isinstance(made, (bool, Predicate)):
        return (number(made, BOOL),)
    whole = (made is None and claim == DeclaredShape(())) or isinstance(made, float)
    return (number(made, FLOAT64 if whole else INT64),)


def _computed(name: str, given: tuple[Any, ...]) -> Any:
    if name in _OF_TWO and len(given) == 2:
        try:
            return _OF_TWO[name](*given)
        except (ZeroDivisionError, OverflowError):
            return None
    if name in _OF_ONE and len(given) == 1:
        return _OF_ONE[name](*given)
    of = given[0] if given else None
    if not isinstance(of, TensorType) or not of.shape.known:
        return None
    if name.startswith("aten.sym_size") and len(given) == 2 and isinstance(given[1], int) and -len(of.shape) <= given[1] < len(of.shape):
        return of.shape[given[1]]
    if name.startswith("aten.sym_numel"):
        return product(of.shape)
    if name.startswith(("aten.item", "aten._local_scalar_dense")) and of.contents is not None and len(of.contents) == 1:
        return of.contents[0]
    return None


# --- memory ---


def in_memory(node: Node, made: Iterable[TensorType]) -> tuple[TensorType, ...]:
    """Results in memory: of their own where they have none, and row-major where that is not known and the file says so."""
    claims = node.attributes.get("_row_major")
    row_major = claims if isinstance(claims, tuple) else ()
    return tuple(_placed(value, i < len(row_major) and row_major[i] is True) for i, value in enumerate(made))


def stored(node: Node, made: Iterable[TensorType]) -> tuple[TensorType, ...]:
    """A parameter, buffer, constant or input of the program, in memory of its own."""
    trained, parameter = node.attributes.get("requires_grad") is True, node.attributes.get("role") == "parameter"
    held = [value.but(requires_grad=True, parameter=parameter) if trained and not value.weak else value for value in made]
    return in_memory(node, held)


def _placed(value: TensorType, row_major: bool) -> TensorType:
    if value.weak:
        return value
    changes: dict[str, Any] = {} if value.base is not None else {"base": Storage()}
    if row_major and value.strides == UNKNOWN_STRIDES:
        changes["strides"] = None
    return value.but(**changes) if changes else value


class Memory:
    """The nodes whose results lie in each piece of memory, of one graph."""

    def __init__(self) -> None:
        self._holders: dict[int, list[str]] = {}

    def hold(self, node: str, values: Iterable[TensorType]) -> None:
        for value in values:
            if value.base is not None:
                self._holders.setdefault(id(value.base), []).append(node)

    def holders(self, tensor: TensorType) -> list[str]:
        return list(dict.fromkeys(self._holders.get(id(tensor.base), ()))) if tensor.base is not None else []


def wrote(walk: Walk, node: Node, outcome: Outcome, outputs: Iterable[TensorType]) -> None:
    """Values that a node wrote into are its result from now on."""
    made = next(iter(outputs), None)
    for target in outcome.written:
        if isinstance(target, TensorType):
            if target.requires_grad:
                walk.found.unknown.append((walk.place + node.name, "a parameter is written in place, which torch refuses while it records gradients"))
            _written(walk, target, made)


def lost(walk: Walk, node: Node) -> None:
    """A node that is not understood may write into the tensors that it gets."""
    for edge in node.inputs:
        if edge is not None and not walk.value(edge).weak:
            _written(walk, walk.value(edge), None)


def _written(walk: Walk, target: TensorType, made: TensorType | None) -> None:
    """A tensor has become another; of what shares its memory nothing is known, here and in the graphs around."""
    at: Walk | None = walk
    while at is not None:
        for holder in at.memory.holders(target):
            held = at.found.outputs.get(holder, ())
            at.found.outputs[holder] = tuple(_after(walk, value, target, made if at is walk else None) for value in held)
        at = at.around


def _after(walk: Walk, value: TensorType, target: TensorType, made: TensorType | None) -> TensorType:
    if value is target and made is not None:
        return made
    if value is not target and (value.base is None or value.base is not target.base):
        return value
    changed = value.but(contents=None)
    if changed is value:
        changed = replace(value)
    walk.found.program.join(None, (None,), changed)
    return changed


def unknown_results(walk: Walk, node: Node) -> tuple[TensorType, ...]:
    """Results of which the file says nothing."""
    return tuple(not_known(f"{walk.place}{node.name}:{i}", None, walk.framework) for i in range(len(node.outputs)))
