"""How terms and atoms are written. Terms share their parts and texts do not: written out, a term may be as long as two to its depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tensorproof.terms.polynomials import Atom, Dim, Monomial

MOST_SHOWN = 8
"""How deep terms within terms are written out."""
LONGEST_KEPT = 10_000
"""Longer texts are made anew each time, from those of their parts."""
_SHOWN: list[Atom] = []


def atom_text(atom: Atom) -> str:
    """An atom that is no symbol."""
    depth = len(_SHOWN)
    if depth in atom.texts:
        return atom.texts[depth]
    if depth >= MOST_SHOWN:
        return f"(…{atom.order})"
    _SHOWN.append(atom)
    try:
        text = _written(atom)
    finally:
        _SHOWN.pop()
    if len(text) <= LONGEST_KEPT:
        atom.texts[depth] = text
    return text


def _written(atom: Atom) -> str:
    match atom.kind:
        case "//" | "%":
            return f"({_grouped(atom.args[0])} {atom.kind} {_grouped(atom.args[1])})"
        case "ite":
            return f"({atom.args[1]!r} if {atom.args[0]!r} else {atom.args[2]!r})"
        case _:
            return f"{atom.kind}({', '.join(map(repr, atom.args))})"


def _grouped(x: Dim) -> str:
    return f"({x!r})" if len(getattr(x, "parts", ())) > 1 else repr(x)


def term_text(parts: tuple[tuple[Monomial, int], ...]) -> str:
    """A sum of products."""
    shown: list[str] = []
    for monomial, coefficient in parts:
        factors = [repr(atom) if power == 1 else f"{atom!r}**{power}" for atom, power in monomial]
        size = abs(coefficient)
        text = "*".join(([str(size)] if size != 1 or not factors else []) + factors)
        sign = "-" if coefficient < 0 else "+"
        shown.append(f" {sign} {text}" if shown else (f"-{text}" if coefficient < 0 else text))
    return "".join(shown)
