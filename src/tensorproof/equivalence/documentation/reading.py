"""Reads the constraints of all parameters of a public object from its signature and its docstring."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from tensorproof.equivalence.documentation.constraint import Constraint, Parameter
from tensorproof.equivalence.documentation.elements import types
from tensorproof.equivalence.documentation.sections import Entry, entry
from tensorproof.equivalence.documentation.shapes import shapes
from tensorproof.equivalence.documentation.signature import MISSING, Written, parameters
from tensorproof.equivalence.documentation.structure import structures
from tensorproof.equivalence.documentation.values import choices, span


@dataclass(frozen=True, slots=True)
class Reading:
    """The docstring of an object, and the names of its parameters."""

    doc: str
    names: frozenset[str]

    def parameter(self, written: Written) -> Parameter:
        found = entry(self.doc, written.name, self.names)
        said, sizes = self._constraint(found, written)
        return Parameter(written.name, written.kind, written.default is MISSING and written.kind != "many", said, sizes)

    def _constraint(self, found: Entry, written: Written) -> tuple[Constraint, tuple[str, ...]]:
        structure = structures(found, written.annotation, written.default)
        listed = choices(structure, found, written.default)
        structure = structure or (("str",) if listed else ())
        shape, sizes = shapes(structure, found, written.annotation)
        return Constraint(structure, types(structure, found, written.annotation, self.names), shape, span(structure, found), listed), sizes


def read(found: object, name: str) -> tuple[Parameter, ...]:
    """The parameters of an object that a caller gives; empty where nothing is known of them."""
    written = parameters(found, name)
    reading = Reading(documentation(found), frozenset(w.name for w in written))
    return tuple(reading.parameter(w) for w in written)


def documentation(found: object) -> str:
    """The docstring of an object; that of the constructor after that of its class."""
    doc = inspect.getdoc(found) or ""
    if not inspect.isclass(found):
        return doc
    own = inspect.getdoc(found.__init__) or ""
    return doc if own in doc or own.startswith("Initialize self") else f"{doc}\n\n{own}"
