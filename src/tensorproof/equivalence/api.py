"""What is known of a public name of a library: its rows, its operators, and whether it is a function, a method or a layer."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from tensorproof.bindings import rows as tables
from tensorproof.bindings.rows import Row
from tensorproof.catalogue import find
from tensorproof.equivalence.documentation.known import Documented, documented
from tensorproof.ops.record import Op

ROOTS = {"torch": ("torch",), "tensorflow": ("tf", "keras"), "keras": ("keras",)}
"""The first words of the names that a library's campaign covers."""
_NOT_PUBLIC = ("torch.ops.", "torch.quantization.", "torch.ao.")


@dataclass(frozen=True, slots=True)
class Api:
    """One public name. `rows` is empty for one that the catalogue does not have: `documented` then says how it is called."""

    name: str
    rows: tuple[Row, ...]
    documented: Documented | None = None

    @property
    def operators(self) -> tuple[Op, ...]:
        """The operators that a call may apply."""
        names = dict.fromkeys(name for row in self.rows for name in (*row.operators, *row.instead))
        return tuple(op for op in map(find, names) if op is not None)

    @property
    def op(self) -> str:
        """The name of its first operator; its own name where the catalogue does not have it."""
        return self.rows[0].op if self.rows else self.name

    @property
    def is_layer(self) -> bool:
        return (self.documented is not None and self.documented.is_layer) or any(row.call_arguments is not None for row in self.rows)

    @property
    def is_method(self) -> bool:
        return self.name.startswith(("torch.Tensor.", "tf.Tensor."))

    @property
    def in_place(self) -> bool:
        """Whether it writes into its first argument."""
        if self.documented is not None:
            return bool(self.documented.written)
        return any(row.inplace or any(op is not None and op.writes for op in map(find, row.operators)) for row in self.rows)

    @property
    def random(self) -> bool:
        return (self.documented is not None and self.documented.random) or any(op.random for op in self.operators)


def is_public(name: str) -> bool:
    """Whether users call it: no part of the name begins with an underscore, except for operators of Python."""
    last = name.rpartition(".")[2]
    hidden = any(part.startswith("_") for part in name.split(".")) and not (last.startswith("__") and last.endswith("__"))
    return not hidden and not name.startswith(_NOT_PUBLIC)


@cache
def apis(library: str) -> tuple[Api, ...]:
    """All public names of a library that have rows or are documented, in a fixed order."""
    known = {"torch": ("torch",), "tensorflow": ("tensorflow", "keras"), "keras": ("keras",)}[library]
    names = [n for table in known for n in tables.names(table) if n.partition(".")[0] in ROOTS[library] and is_public(n)]
    described = {name: one for table in known for name, one in documented(table).items() if not tables.rows(name)}
    return tuple(Api(name, tuple(tables.rows(name)), described.get(name)) for name in sorted({*names, *described}))


def chosen(library: str, globs: tuple[str, ...]) -> tuple[Api, ...]:
    """Those that match one of the globs; all without a glob."""
    return tuple(a for a in apis(library) if not globs or any(fnmatchcase(a.name, g) for g in globs))
