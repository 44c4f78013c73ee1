"""Ranges and enumerations, as documentation words them."""

from __future__ import annotations

import re
from typing import Any

from tensorproof.equivalence.documentation.elements import labels
from tensorproof.equivalence.documentation.sections import Entry
from tensorproof.equivalence.documentation.signature import Name

_NUMERIC = frozenset({"int", "float", "number", "tensor", "list"})
_BOUND = r"-?(?:0x[0-9a-f_]+|\d+(?:\.\d+)?(?:e-?\d+)?|inf(?:inity)?|rank(?:\([^)]*\))?)"
_BETWEEN = (
    rf"(?:in|within|between|range)\b[^.;]{{0,40}}?[`:]*([\[(])\s*({_BOUND})\s*,\s*({_BOUND})\s*([\])])",
    rf"\bbetween `?()({_BOUND})`? and `?({_BOUND})\b()",
)
_RESULT = re.compile(r"(?:picked|sampled|drawn|scaled|chosen)[^.;]*$")
"""A range of what the function makes, not of the parameter."""
_NOT_NEGATIVE = re.compile(
    r"\b(?:must be|should be|is|be|be a|a|an|^)\s*(?:strictly )?non-?negative\b|^\W*(?:an? |scalar |python )*non-?negative"
    r"|^\W*(?:be )?(?:>=|≥|greater than or equal to|at least) ?0\b(?!\.)",
    re.IGNORECASE,
)
_POSITIVE = re.compile(
    r"\b(?:must be|should be)\s*(?:a |an |strictly )?positive\b|^\W*(?:an? |\(?optional\)? |strictly |scalar |python )*positive\b(?! definite)"
    r"|^\W*(?:must be )?(?:>|greater than) ?0\b|\b(?:must be|should be) (?:>|greater than) 0\b",
    re.IGNORECASE,
)
_SIGNS = {"at least": ">=", "greater than or equal to": ">=", "greater than": ">", "less than": "<"}
_COMPARED = (
    r"\b(?:must be|should be|that is|is|are) `*(>=|>|<=|<|at least|greater than or equal to|greater than|less than) ?`*(-?\d+(?:\.\d+)?)\b",
    r"^\W*(?:an? )?(?:[Pp]ython )?(?:[Ff]loat|[Ii]nt|[Ii]nteger|[Nn]umber)(?: scalar)?,? `?(>=|>|<=|<) ?(-?\d+(?:\.\d+)?)",
)


def span(structure: tuple[str, ...], entry: Entry) -> str:
    """The range of a number or of the numbers of a tensor."""
    if structure and not _NUMERIC & set(structure):
        return ""
    about = [m.group(1) for s in entry.elsewhere if (m := re.search(rf"{entry.mark} (?:must be|should be|has to be|must lie)\b(.*)", s))]
    if found := next((found for said in (entry.text, *about) if (found := _span(said))), ""):
        return found
    probability = re.match(r"\W*(?:the |dropout |drop )*probability\b", entry.text, re.IGNORECASE)
    return "[0,1]" if probability and structure != ("list",) else ""


def _span(text: str) -> str:
    text = re.sub(r"_(?=[0-9a-f]{4})", "", text)
    for pattern in _BETWEEN:
        if (m := re.search(pattern, text, re.IGNORECASE)) and not _RESULT.search(text[: m.start()]):
            return f"{m.group(1) or '['}{_bound(m.group(2))},{_bound(m.group(3))}{m.group(4) or ']'}"
    if _NOT_NEGATIVE.search(text) and "are non-negative" not in text:
        return ">=0"
    if _POSITIVE.search(text):
        return ">0"
    compared = next((m for pattern in _COMPARED if (m := re.search(pattern, text))), None)
    return f"{_SIGNS.get(compared.group(1), compared.group(1))}{_bound(compared.group(2))}" if compared else ""


def _bound(word: str) -> str:
    word = word.lower()
    sign, digits = ("-", word[1:]) if word.startswith("-") else ("", word)
    if digits.startswith("0x"):
        return sign + str(int(digits, 16))
    if digits.startswith(("rank", "inf")):
        return sign + ("rank" if digits.startswith("rank") else "inf")
    number = float(word)
    return str(int(number)) if number == int(number) and "e" not in word else word


_QUOTED = r"`*['\"‘]([\w.+-]+)['\"’]`*"
_JOINED = rf"{_QUOTED}(?:\s*(?:\([^)]*\))?(?:\s*,\s*(?:or |and )?|\s+or\s+|\s+and\s+|\s*\|\s*|\s*/\s*){_QUOTED})*"
_BULLETS = rf"(?:^|\s)[-*•] {_QUOTED}\s*(?::|-|\()"
_CASES = (rf"\b[Ii]f {_QUOTED},", rf"{_QUOTED} (?:corresponds to|means|indicates|uses|will|- )")
_OPEN = re.compile(r"\band so on|\betc\b|\band any|\bor any|\bor (?:a|an) (?:float|number|int|callable|instance|path)|\bor the path", re.IGNORECASE)
_EXAMPLE = re.compile(r"(?:e\.g\.?,?|for example,?|such as|defaults? (?:to|is|value|:|=)|default:?|like|i\.e\.?,?)\s*:?\s*$", re.IGNORECASE)
_INTRODUCED = re.compile(
    r"(?:must be set to|one of(?: the following)?|either|from|must be|can be|choose from|supported values are"
    r"|(?:valid values|options|possible values|allowed values|choices)(?: are)?)\W*$",
    re.IGNORECASE,
)


def choices(structure: tuple[str, ...], entry: Entry, default: Any) -> tuple[str, ...]:
    """The values of an enumeration that is closed."""
    if structure and not {"str", "dtype"} & set(structure):
        return ()
    if structure == ("dtype",):
        return _types(entry.text)
    for said in (entry.type, entry.text):
        if found := _strings(said):
            return () if _OPEN.search(said) else found
    m = re.search(r"`None`.{0,40}\bor `?(\w+)`", entry.text)
    named = m is not None and isinstance(default, str) and not isinstance(default, Name) and m.group(1) == default
    return (default,) if named else ()


def _types(text: str) -> tuple[str, ...]:
    m = re.search(r"(?:from: |one of |either |: )((?:`?(?:tf\.)?[a-z]+\d*`?(?:, | or |, or )?)+)", text, re.IGNORECASE)
    found = () if m is None else tuple(x for x in labels(m.group(1)) if re.fullmatch(r"(?:u?int|float|bfloat|complex)\d+|bool|string", x))
    return found if len(found) > 1 else ()


def _strings(text: str) -> tuple[str, ...]:
    if len(listed := set(re.findall(_BULLETS, text))) > 1:
        return tuple(sorted(listed))
    for m in re.finditer(_JOINED, text):
        before, found = text[: m.start()], set(re.findall(_QUOTED, m.group()))
        if _EXAMPLE.search(before):
            continue
        if len(found) > 1 and not re.search(r"\bset(?:ting)? to\W*$", before):
            return tuple(sorted(found))
        if len(found) == 1 and _alone(before, text[m.end() :]):
            return tuple(found)
    return next((tuple(sorted(found)) for pattern in _CASES if len(found := set(re.findall(pattern, text))) > 1), ())


def _alone(before: str, after: str) -> bool:
    """Whether a single value is the whole enumeration."""
    if re.search(r"\b[Oo]nly\W*$", before):
        return True
    return _INTRODUCED.search(before) is not None and re.match(r"\W*(?:\.|$|or `*None`*\W)", after) is not None
