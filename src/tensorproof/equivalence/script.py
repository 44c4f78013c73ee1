"""Reproducers: at most ten lines that import the library alone and fail while the bug lives."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tensorproof.equivalence.arrays import Array

if TYPE_CHECKING:
    from tensorproof.equivalence.dialects import Dialect

MOST_LINES = 10


def scripts(finding: Mapping[str, Any], dialect: Dialect) -> list[str]:
    """Texts of reproducers, the shortest first; none where the call is not known."""
    if finding["pair"] is None:
        return []
    return [text for text in (_short(finding, dialect), _long(finding, dialect)) if text]


def _short(finding: Mapping[str, Any], dialect: Dialect) -> str:
    """The rule's own short program, after the inputs that it names."""
    pair = finding["pair"]
    if not pair.get("shown"):
        return ""
    arrays = {**finding["call"]["inputs"], **pair["inputs"]}
    inputs = [f"{name} = {dialect.literal(Array.from_json(x))}" for name, x in arrays.items() if re.search(rf"\b{name}\b", pair["shown"])]
    return "\n".join(_joined([*dialect.imports_of(pair["shown"]), *inputs, *pair["shown"].splitlines()])) + "\n"


def _long(finding: Mapping[str, Any], dialect: Dialect) -> str:
    """Both sides and their comparison."""
    pair = finding["pair"]
    arrays = {**finding["call"]["inputs"], **pair["inputs"]}
    texts = "\n".join((pair["setup"], pair["left"], pair["right"]))
    inputs = [f"{name} = {dialect.literal(Array.from_json(x))}" for name, x in arrays.items()]
    lines = [*dialect.imports_of(texts), *inputs, *pair["setup"].splitlines()]
    if finding["kind"] == "raises" and finding["symptom"].startswith("left:"):
        return "\n".join(_joined([*lines, *_refused(pair["left"], pair["right"])])) + "\n"
    lines += _assigned("left", pair["left"])
    if finding["rule"] != "plain call":
        again = pair["setup"].splitlines() if re.search(r"\blayer\b", pair["setup"]) else []  # a layer may change when it is called
        lines += [*again, *_assigned("right", pair["right"])]
    if finding["kind"] == "raises":
        lines = [*lines[:-1], lines[-1].removeprefix("right = ")]
    elif finding["kind"] != "crash" or finding["rule"] != "plain call":  # what a device did is seen when its result is read
        lines.append(dialect.check(pair["compare"]))
    return "\n".join(_joined(lines)) + "\n"


def _assigned(name: str, text: str) -> list[str]:
    *body, last = text.splitlines()
    return [*body, f"{name} = {last}"]


def _refused(left: str, right: str) -> list[str]:
    """Lines that fail while the right side takes what the left side refuses."""
    *first, one = left.splitlines()
    *second, other = right.splitlines()
    tried = ["def refuses(side):", "    try: side()", "    except Exception: return True"]
    return [*first, *second, *tried, f"assert refuses(lambda: {one}) == refuses(lambda: {other}), 'the second is not refused'"]


def _joined(lines: list[str]) -> list[str]:
    """Not more than ten lines: inputs that are short share a line."""
    while len(lines) > MOST_LINES:
        places = [i for i in range(len(lines) - 1) if not lines[i].endswith(":") and not lines[i + 1].startswith((" ", "def ", "class ", "for ", "with ", "@"))
                  and not lines[i].startswith((" ", "def ", "class ", "for ", "with ", "@"))]  # fmt: skip
        if not places:
            break
        at = min(places, key=lambda i: len(lines[i]) + len(lines[i + 1]))
        lines[at : at + 2] = [f"{lines[at]}; {lines[at + 1]}"]
    return lines
