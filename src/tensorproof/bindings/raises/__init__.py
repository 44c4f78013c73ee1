"""Which exception a library raises when a spelling refuses its arguments, as conformance saw it (`tools/make_raises.py` writes the tables).

A line of a table is `CLASS|CLASS: KEY KEY …`, the likeliest class first. A key is a spelling and a requirement's code with the words of its message, as in
`numpy.sum:sum/axis:dim_names_an_axis_twice_r`, or a part of that; the first of `keys` that is there counts. One class alone was seen in several calls that
differ, or nothing else was where fewer calls were; of more than one, each is possible, and the first is the one seen in the calls that are most alike.
A line `? ARGUMENT: KEY KEY …` says what tells more at these keys (`circumstances.py`): the classes stand at `KEY?ARGUMENT=WORD` then.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

DEFAULTS = {"torch": ("RuntimeError", "ValueError"), "numpy": ("ValueError", "TypeError"), "tf": ("InvalidArgumentError", "ValueError")}
OF_MACHINES = ("NotFoundError", "AbortedError")
"""By these TensorFlow says that this machine has no kernel for a call: they tell nothing of a requirement."""
_SPELLED = {"torchvision": "torch", "aten": "torch"}
_NAMES = r"\b(?:torch|torchvision|aten|tf|keras|numpy)\.[\w.]+"
_TYPES = r"\b(?:bool|u?int\d+|b?float\d+\w*|complex\d+|qu?int\d+\w*|bits\w+)\b"
_RARE = "float8_e8m0fnu"
"""TensorFlow does not have it, and knows the other ones of eight bits."""
_SHAPES = r"[(\[]([-\d, None]*)[)\]]"
_NUMBERS = r"(?<!\w)-?\d+(?:\.\d+)?"


class Table(NamedTuple):
    """The classes by key, and which circumstance is asked at a key that alone does not tell: the answer makes a longer key."""

    classes: dict[str, tuple[str, ...]]
    asked: dict[str, str]

    def of(self, chain: Iterable[str], about: Mapping[str, str]) -> tuple[str, ...]:
        """The classes of the first key that is there, less those that circumstances exclude; none where no key is there."""
        key = next((one for one in chain if one in self.classes), "")
        while key in self.asked and (longer := answered(key, self.asked[key], about)) in self.classes:
            key = longer
        return self.classes.get(key, ())


def answered(key: str, asked: str, about: Mapping[str, str]) -> str:
    return f"{key}?{asked}={about.get(asked, 'absent')}"


def library_of(name: str) -> str:
    """The library whose table has a spelling."""
    library = name.partition(".")[0]
    return _SPELLED.get(library, library)


@cache
def table(library: str) -> Table:
    """The classes of one library's table by key, and what is asked at some; empty for a library that was not measured."""
    path = os.path.join(os.path.dirname(__file__), f"{library}.txt")
    found, asked = dict[str, tuple[str, ...]](), dict[str, str]()
    if os.path.exists(path):
        with open(path, encoding="utf-8") as stream:
            for line in stream:
                classes, _, keys = line.partition(": ")
                if classes.startswith("? "):
                    asked.update(dict.fromkeys(keys.split(), classes[2:]))
                elif keys:
                    found.update(dict.fromkeys(keys.split(), tuple(classes.split("|"))))
    return Table(found, asked)


def cases(message: str) -> tuple[str, str, str]:
    """The words of a requirement's message: with element types, ranks and signs, with element types alone, and without either."""
    plain = re.sub(_NAMES, "", message)
    typed = re.sub(_TYPES, lambda found: "float8" if found[0].startswith("float8") and found[0] != _RARE else found[0], plain)
    fine = re.sub(_NUMBERS, _sign, re.sub(_SHAPES, lambda found: f" r{len([p for p in found[1].split(',') if p.strip()])}", typed))
    return _words(fine), _words(_unsized(typed)), _words(_unsized(re.sub(_TYPES, "T", plain)))


def _sign(found: re.Match[str]) -> str:
    return "neg" if found[0].startswith("-") else "zero" if found[0] == "0" else "n"


def _unsized(text: str) -> str:
    return re.sub(_NUMBERS, "N", re.sub(_SHAPES, " R", text))


def _words(text: str) -> str:
    return "_".join(re.findall(r"\w+", text))


def keys(name: str, code: str, message: str) -> Iterator[str]:
    """Where the classes of a refusal may stand, the most exact key first: what the message says tells more than which spelling it is."""
    said, word = cases(message), code.rpartition("/")[2]
    for case in said:
        yield f"{name}:{code}:{case}"
    for case in said:
        yield f"{code}:{case}"
    yield f"{word}:{said[2]}"
    yield f"{name}:{code}"
    yield code
    yield word


def classes(name: str, code: str, message: str = "", traced: bool = False, about: Mapping[str, str] = MappingProxyType({})) -> tuple[str, ...]:
    """The classes of which the exception is one, the likeliest first. `traced`: the call only describes what is computed later; `about`: its circumstances."""
    if code in ("call/arguments", "numpy/device"):
        return ("TypeError",)
    library = library_of(name)
    for found in (table(f"{library}_traced"), table(library)) if traced else (table(library),):
        if said := found.of(keys(name, code, message), about):
            return said
    return DEFAULTS.get(library, ("InvalidArgumentError", "ValueError") if library == "keras" else ("RuntimeError", "ValueError"))
