"""Abstract memory: every write is logged while a mark is open, so that a branch can be undone and its difference taken.

A location is (owner, key): an entry of a `Space`, or the whole of a `Row` of items (key `ITEMS`). What was born after the innermost mark is
nothing else's, so writes to it are no difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from tensorproof.terms.records import dataclass, field

if TYPE_CHECKING:
    from _collections_abc import dict_items, dict_values

T = TypeVar("T")
D = TypeVar("D")


class Key(str, Generic[T]):
    """The name of a location that holds values of one type: mypy knows the type of `space[KEY]`. At run time it is a plain text."""


def slot(name: str) -> Key[Any]:
    """For `KEY: Key[int] = slot("count")`."""
    return name  # type: ignore[return-value]


MISSING: object = type("Missing", (), {"__repr__": lambda _: "MISSING"})()
"""What a location holds that holds nothing."""
ITEMS = "*items*"
AT: Key[int] = slot("at")
"""Where an iterator stands."""
WRITTEN_BACK = "written_back"
"""Marks the target of `x[i] += …` in the syntax tree: what is stored there is the item that was read, changed in place."""
ORDER = "*order*"
"""The location of the order of a dict's keys."""


class Space(dict[Any, object]):
    """A namespace: the locals of a call, the attributes of an object, the items of a dict."""

    __slots__ = ("born",)
    born: int

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: Key[T], /) -> T: ...

        @overload
        def __getitem__(self, key: object, /) -> object: ...

        def __getitem__(self, key: object, /) -> object: ...

        @overload
        def get(self, key: Key[T], default: None = None, /) -> T | None: ...

        @overload
        def get(self, key: Key[T], default: D, /) -> T | D: ...

        @overload
        def get(self, key: object, default: object = None, /) -> object: ...

        def get(self, key: object, default: object = None, /) -> object: ...


class Entries(Space):
    """The items of a dict: whether a key is there matters to `in`, `len` and iteration."""

    __slots__ = ()


class Cursor(Space):
    """The state of an iterator: where it stands must be given, so two paths that leave it at different places are not joined."""

    __slots__ = ()


class Row(list[object]):
    """The items of a list or of a set."""

    __slots__ = ("born",)
    born: int


class Table(Entries, Generic[T]):
    """A space whose entries all have one type, for mypy alone."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __getitem__(self, key: object, /) -> T: ...  # type: ignore[override]
        def items(self) -> dict_items[str, T]: ...
        def values(self) -> dict_values[str, T]: ...

        @overload  # type: ignore[override]
        def get(self, key: object, default: None = None, /) -> T | None: ...

        @overload
        def get(self, key: object, default: D, /) -> T | D: ...

        def get(self, key: object, default: object = None, /) -> object: ...


Owner = Space | Row
Written = dict[tuple[int, Any], object]
"""Values by their place: the identity of the owner, and the key."""


@dataclass(slots=True)
class Mark:
    """A place in the log to which memory can be taken back."""

    position: int
    clock: int
    number: int = 0
    """The branch that opened it; 0 where memory is only watched and will not be undone."""
    ordered: set[int] = field(default_factory=set[int])
    """The dicts whose order was noted since then."""


@dataclass(slots=True)
class Difference:
    """What a branch wrote to memory that is older than the branch: the owners with their keys, and the values at its end."""

    values: Written = field(default_factory=dict[tuple[int, Any], object])
    owners: dict[int, Owner] = field(default_factory=dict[int, Owner])


class Heap:
    """Memory with its trail."""

    __slots__ = ("clock", "log", "marks")

    def __init__(self) -> None:
        self.clock = 0
        self.log: list[tuple[Owner, object, object]] = []
        self.marks: list[Mark] = []

    def space(self, items: dict[Any, Any] | None = None) -> Space:
        made = Space(items or {})
        made.born = self.clock
        return made

    def entries(self, items: dict[Any, Any] | None = None) -> Entries:
        made = Entries(items or {})
        made.born = self.clock
        return made

    def cursor(self, at: int = 0) -> Cursor:
        made = Cursor(at=at)
        made.born = self.clock
        return made

    def row(self, items: Any = ()) -> Row:
        made = Row(items)
        made.born = self.clock
        return made

    # --- writes ---

    def set(self, owner: Space, key: object, value: object) -> None:
        if self.marks and owner.born < self.marks[-1].clock:
            if type(owner) is Entries and key not in owner:
                self._note_order(owner)
            self.log.append((owner, key, owner.get(key, MISSING)))
        owner[key] = value

    def delete(self, owner: Space, key: object) -> None:
        if self.marks and owner.born < self.marks[-1].clock:
            if type(owner) is Entries:
                self._note_order(owner)
            self.log.append((owner, key, owner.get(key, MISSING)))
        del owner[key]

    def _note_order(self, owner: Entries) -> None:
        noted = self.marks[-1].ordered
        if id(owner) not in noted:
            noted.add(id(owner))
            self.log.append((owner, ORDER, tuple(owner)))

    def touch(self, row: Row) -> None:
        """Must be called before a row is changed in place."""
        if self.marks and row.born < self.marks[-1].clock:
            self.log.append((row, ITEMS, tuple(list.__iter__(row))))

    def touch_all(self, space: Space) -> None:
        """Must be called before a space is changed in place by a native method."""
        if self.marks and space.born < self.marks[-1].clock:
            for key, value in space.items():
                self.log.append((space, key, value))

    # --- branches ---

    def mark(self, number: int = 0) -> Mark:
        self.clock += 1
        made = Mark(len(self.log), self.clock, number)
        self.marks.append(made)
        return made

    def difference(self, mark: Mark) -> Difference:
        """What was written since the mark, as it is now."""
        found = Difference()
        owners, values, clock = found.owners, found.values, mark.clock
        for owner, key, _ in self.log[mark.position :]:
            if owner.born < clock:
                number = id(owner)
                if (number, key) not in values:
                    owners[number] = owner
                    values[number, key] = read(owner, key)
        return found

    def before(self, mark: Mark) -> Written:
        """What the locations written since the mark held at the mark."""
        found: Written = {}
        for owner, key, old in self.log[mark.position :]:
            found.setdefault((id(owner), key), old)
        return found

    def undo(self, mark: Mark) -> None:
        """Memory as it was at the mark, which stays open. What was born since then belongs to the way that is undone, and stays as that way left it."""
        self.clock += 1
        mark.ordered.clear()
        log = self.log
        while len(log) > mark.position:
            owner, key, old = log.pop()
            if owner.born < mark.clock:
                _put(owner, key, old)

    def apply(self, difference: Difference) -> None:
        """Write a difference again."""
        for (number, key), value in difference.values.items():
            if key is not ORDER:
                self.write(difference.owners[number], key, value)
        for (number, key), value in difference.values.items():
            if key is ORDER:
                owner = difference.owners[number]
                if isinstance(owner, Entries) and tuple(owner) != value:
                    self._note_order(owner) if self.marks and owner.born < self.marks[-1].clock else None
                    _put(owner, ORDER, value)

    def write(self, owner: Owner, key: object, value: object) -> None:
        """One location, logged. An order is what the keys make it."""
        if key is ORDER:
            return
        if isinstance(owner, Row):
            self.touch(owner)
            assert isinstance(value, tuple)
            list.__setitem__(owner, slice(None), value)
        elif value is MISSING:
            if key in owner:
                self.delete(owner, key)
        else:
            self.set(owner, key, value)

    def close(self, mark: Mark) -> None:
        """Forget a mark; what was written since then stays, and belongs to the mark before it."""
        assert self.marks[-1] is mark
        self.forget(mark)

    def forget(self, mark: Mark) -> None:
        """Close a mark that need not be the innermost: waiting exits may have opened others since."""
        self.marks = [m for m in self.marks if m is not mark]
        if not self.marks:
            self.log.clear()

    def branch_since(self, clock: int) -> int:
        """The number of the innermost open branch that is younger than this; 0 when there is none."""
        for mark in reversed(self.marks):
            if mark.clock <= clock:
                break
            if mark.number:
                return mark.number
        return 0


def items_of(written: object) -> tuple[object, ...]:
    """What a row held: the value under the key `ITEMS`."""
    assert isinstance(written, tuple)
    return written


def read(owner: Owner, key: object) -> object:
    """What a location holds."""
    if isinstance(owner, Row):
        return tuple(list.__iter__(owner))
    return tuple(owner) if key is ORDER else owner.get(key, MISSING)


def _put(owner: Owner, key: object, old: object) -> None:
    if isinstance(owner, Row):
        assert isinstance(old, tuple)
        list.__setitem__(owner, slice(None), old)
    elif key is ORDER:
        assert isinstance(old, tuple)
        items = {k: owner[k] for k in old if k in owner}
        items.update(owner)
        owner.clear()
        owner.update(items)
    elif old is MISSING:
        owner.pop(key, None)
    else:
        owner[key] = old
