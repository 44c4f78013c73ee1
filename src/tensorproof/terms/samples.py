"""Numbers that every text has anew, such as that of its words: a requirement that two texts agree in them holds by chance alone."""

from __future__ import annotations

import re

from tensorproof.terms.polynomials import Atom

WORDS = "words"
"""What the name of such a number begins with."""
_REST = re.compile("[#'\"~\\[]")


def of_each_text(atom: Atom) -> bool:
    return atom.kind == "symbol" and atom.name.startswith(WORDS + "@")


def place_of(atom: Atom) -> str:
    """Where in the program a number was made, whichever time it was."""
    return _REST.split(atom.name, maxsplit=1)[0]
