"""Lists that were summarised: `Summary` stands in them for so many items. How many there are in all, and copies with names of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeGuard

from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.facts import of_any
from tensorproof.terms.ints import Atom, Dim, Term, lower, symbol, upper
from tensorproof.terms.predicates import Predicate, flag
from tensorproof.terms.samples import of_each_text
from tensorproof.terms.shapes import Shape
from tensorproof.terms.substitution import substitute, symbols
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import Heap
from tensorproof.values.objects import Choice, Class, Dict, Function, Generator, Instance, List, Model, Set
from tensorproof.values.python_values import COUNTED, NUMBER, REAL, TEXT, Layer, Named, Summary, Unknown

DEEPEST = BUDGETS.containers.depth_of_summarised


def is_summarised(items: Iterable[object]) -> bool:
    """Whether some of the items are summarised."""
    return Summary in map(type, items)


def length(items: Iterable[object]) -> Dim | Unknown:
    """How many items there are: a size, or a number that is unknown."""
    total: Dim = 0
    for item in items:
        count = item.count if type(item) is Summary else 1
        if isinstance(count, Unknown):
            return count
        total = total + count
    return total


def more(count: Dim | Unknown, added: Dim) -> Dim | Unknown:
    """A number of items and so many more."""
    return count if isinstance(count, Unknown) else count + added


def shown(items: Iterable[object]) -> list[object]:
    """The items that are shown: each that is listed, and two of those that were not."""
    found: list[object] = []
    for item in items:
        found += (item.first, item.second) if type(item) is Summary else (item,)
    return found


def summarise(count: Dim | Unknown, items: Sequence[object]) -> Summary:
    """So many items like these, of which the first and the last represent all where they can."""
    second = items[-1]
    for item in items[1:-1]:
        if not _like(item, items[0]) and not _like(item, second):
            second = _wider(item, second)
    return Summary("items of a summarised list", count=count, first=items[0], second=second)


def _like(a: object, b: object) -> bool:
    return a is b or (type(a) is type(b) and isinstance(a, (int, str, float, TensorType, Unknown, tuple)) and a == b)


def _wider(a: object, b: object) -> object:
    """What stands for both."""
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(x if _like(x, y) else _wider(x, y) for x, y in zip(a, b))
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        return _wider_tensor(a, b)
    kinds = [number_of(v) for v in (a, b)]
    if all(kinds):
        return number_of_kinds(kinds)
    return TEXT if is_text(a) and is_text(b) else Unknown("one of many items")


def _wider_tensor(a: TensorType, b: TensorType) -> TensorType | Unknown:
    """Tensors of which the sizes differ: a size that is a symbol stands for any."""
    same = a.dtype is b.dtype and a.framework == b.framework and a.shape.known and b.shape.known and len(a.shape) == len(b.shape)
    if not same or any(x != y and not isinstance(x, Term) and not isinstance(y, Term) for x, y in zip(a.shape, b.shape)):
        return Unknown("one of many tensors")
    sizes = (y if x == y or isinstance(y, Term) else x for x, y in zip(a.shape, b.shape))
    return b.sized(Shape(sizes), contents=b.contents if a.contents == b.contents else None, facts=of_any([a.known, b.known]))


def number_of(value: object) -> str:
    """Whether a value is a number: "int", "float", or nothing."""
    if isinstance(value, bool):
        return ""
    if isinstance(value, (int, Term)):
        return "int"
    return "float" if isinstance(value, float) else value.number if isinstance(value, Unknown) else ""


def ends_of(value: object) -> tuple[int, int] | None:
    """The least that a whole number can be and what it stays below, where both are known."""
    if isinstance(value, (int, Term)):
        low, high = (lower(value), upper(value)) if isinstance(value, Term) else (value, value)
        return (int(low), int(high) + 1) if max(-low, high) < _ENDLESS else None
    if isinstance(value, Choice):
        one, other = ends_of(value.then), ends_of(value.other)
        return None if one is None or other is None else (min(one[0], other[0]), max(one[1], other[1]))
    if isinstance(value, Unknown) and value.number == "int" and value.least is not None and value.below is not None:
        return (int(value.least), int(value.below)) if max(-value.least, value.below) < _ENDLESS else None
    return None


_ENDLESS = 2**62


def kind_of_all(kinds: Iterable[str], mixed: str = "real") -> str:
    """The kind of a number that has one of these kinds; `mixed` where a float is one of several."""
    found = {"int" if kind == "bool" else kind for kind in kinds}
    return "int" if found == {"int"} else "float" if found == {"float"} else mixed if "float" in found else "real"


def number_of_kinds(kinds: Iterable[str]) -> Unknown:
    """A number that is not known and that has one of these kinds."""
    return {"int": COUNTED, "float": REAL}.get(kind_of_all(kinds), NUMBER)


def is_size(value: object) -> TypeGuard[Dim]:
    """Whether a value is a whole number, known or a term; a truth value is none."""
    return type(value) in (int, Term)


def is_text(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, Unknown) and value.text)


def has_identity(value: object) -> bool:
    """Whether it matters which of them it is: layers have weights of their own."""
    if isinstance(value, tuple):
        return any(has_identity(v) for v in value)
    if isinstance(value, Instance):
        return any(isinstance(c, Named) and c.name.startswith(("torch.nn", "keras", "tf")) for c in value.cls.mro)
    return isinstance(value, (Layer, Function, Class, Generator))


class Renaming:
    """Copies of values in which the symbols and flags of one iteration have names of their own: another iteration's."""

    def __init__(self, heap: Heap, names: frozenset[str], suffix: str, fixed: dict[Any, Any] | None = None) -> None:
        self.heap = heap
        self.names = names
        self.suffix = suffix
        self.known: dict[Any, Any] = dict(fixed or {})
        for name in names:
            self.known[name] = flag(name + suffix)

    def __call__(self, value: object, depth: int = DEEPEST) -> Any:
        kind = type(value)
        if isinstance(value, Term):
            return self._term(value)
        if isinstance(value, Predicate):
            self._atoms(value)
            return value.substitute(self.known)
        if isinstance(value, TensorType):
            return self._tensor(value)
        if depth == 0:
            return value
        if isinstance(value, tuple) and kind is tuple:
            return self._parts(value, value, depth, tuple)
        if isinstance(value, Choice):
            return self._parts(value, (value.condition, value.then, value.other), depth, lambda new: Choice(new[0], new[1], new[2], value.depth))
        if isinstance(value, Summary):
            parts = (value.count, value.first, value.second)
            return self._parts(value, parts, depth, lambda new: Summary(value.reason, count=new[0], first=new[1], second=new[2]))
        if isinstance(value, List) and not value.several:
            return self._parts(value, value.items, depth, lambda new: List(self.heap.row(new), value.deque, value.most, value.several))
        if isinstance(value, Set):
            return self._parts(value, value.items, depth, lambda new: Set(self.heap.row(new), value.frozen))
        if isinstance(value, Dict):
            keys = tuple(value.items)
            return self._parts(
                value, value.items.values(), depth,
                lambda new: Dict(self.heap.entries(dict(zip(keys, new))), value.default, value.counter, value.ordered),
            )  # fmt: skip
        if isinstance(value, Model):
            return self._parts(value, value.space.values(), depth, lambda new: Model(value.kind, self.heap.space(dict(zip(value.space, new))), value.span))
        if isinstance(value, Instance) and value.native is None:
            return self._parts(value, value.space.values(), depth, lambda new: Instance(value.cls, self.heap.space(dict(zip(value.space, new))), value.span))
        return value

    def _parts(self, value: object, parts: Iterable[object], depth: int, make: Callable[[list[Any]], object]) -> object:
        """The value itself where none of its parts has another name."""
        old = list(parts)
        new = [self(v, depth - 1) for v in old]
        return make(new) if any(a is not b for a, b in zip(new, old)) else value

    def _atoms(self, value: Term | Predicate) -> None:
        for atom in symbols(value):
            if atom not in self.known and atom.args[0] in self.names:
                self.known[atom] = self._other(atom)

    def _other(self, atom: Atom) -> Dim:
        assert atom.origin is not None
        return symbol(atom.args[0] + self.suffix, atom.lo, None if atom.hi == float("inf") else atom.hi, atom.origin)

    def _term(self, value: Term) -> Dim:
        self._atoms(value)
        return substitute(value, self.known)

    def _tensor(self, value: TensorType) -> TensorType:
        def part(x: object) -> Any:
            return self(x) if isinstance(x, (Term, Predicate)) else x

        changes: dict[str, Any] = {}
        if value.shape.known:
            shape = Shape(part(d) for d in value.shape)
            if shape != value.shape:
                changes["shape"] = shape
        for field in ("contents", "strides"):
            found = getattr(value, field)
            if found is not None:
                new = tuple(part(d) for d in found)
                if any(a is not b for a, b in zip(new, found)):
                    changes[field] = new
        facts = value.facts.mapped(part) if value.facts is not None else None
        return value.but(**changes, facts=facts) if changes or facts is not value.facts else value


class Reindexed(Renaming):
    """The item of a summarised list at one index: what each text has anew gets a name of its own there."""

    def __init__(self, heap: Heap, index: object, items: Iterable[object]) -> None:
        super().__init__(heap, frozenset(), f"[{index}]")
        apart = _Words(heap, frozenset(), "")
        self.words = apart.of_one(shown(items))

    def _atoms(self, value: Term | Predicate) -> None:
        for atom in symbols(value):
            if atom not in self.known and atom in self.words:
                self.known[atom] = self._other(atom)


class _Words(Renaming):
    """The numbers in a value that each text has anew."""

    def of_one(self, items: list[object]) -> set[Atom]:
        """Those that some of the items have and others have not."""
        found: list[set[Atom]] = []
        for item in items:
            self.seen: set[Atom] = set()
            self(item)
            found.append(self.seen)
        return {atom for seen in found for atom in seen if any(atom not in other for other in found)}

    def _atoms(self, value: Term | Predicate) -> None:
        self.seen.update(filter(of_each_text, symbols(value)))
