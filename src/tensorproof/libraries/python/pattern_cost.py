"""How long a regular expression may take: an upper bound on the ways to match it, and a trial in a child process where the bound says nothing.

Python's matcher backtracks and cannot be interrupted, so a pattern runs here only when it is known to end soon.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

from tensorproof.values.port import Value

MOST_MATCHES = 3_000_000
"""Steps of the matcher that a pattern may take: some tens of milliseconds."""
LONGEST_PATTERN = 5_000
SECONDS = 1
"""Processor time of a trial."""
_ENDLESS = float("inf")


def bound(pattern: str, flags: int, length: int) -> float:
    """An upper bound on the steps that a search in a text of this length takes; infinite when none was found."""
    if len(pattern) > LONGEST_PATTERN:
        return _ENDLESS
    return _matches(_parsed(pattern, flags), length, last=True) * (length + 1)


@cache
def _parsed(pattern: str, flags: int) -> Value:
    try:
        from re import _parser  # type: ignore[attr-defined]  # the only place where Python keeps what a pattern means

        return _parser.parse(pattern, flags)
    except Exception:  # what is wrong with a pattern is said when it is compiled
        return None


def _matches(parsed: Value, length: int, last: bool = False) -> float:
    """In how many ways a part of a pattern can match at one place: the product over a sequence, the sum over alternatives."""
    if parsed is None:
        return _ENDLESS
    total, items = 1.0, _flat(parsed)
    for item, after in zip(items, [*items[1:], None]):
        if not _one_match(item, after, last):
            total *= _matches_of_one(str(item[0]), item[1], length)
    return total


def _flat(parsed: Any) -> list[Any]:
    """The items of a sequence, those of plain groups among them."""
    found: list[Value] = []
    for item in parsed:
        found += _flat(item[1][-1]) if str(item[0]) == "SUBPATTERN" and not any(item[1][1:3]) else [item]
    return found


def _one_match(item: Any, after: Any, last: bool) -> bool:
    """Whether a repeated letter cannot be given back: nothing follows, or what follows takes none of the letters that are repeated."""
    if str(item[0]) not in ("MAX_REPEAT", "MIN_REPEAT") or len(item[1][2]) != 1:
        return False
    repeated = _letters(item[1][2][0])
    if after is None:
        return last and bool(repeated) and str(item[0]) == "MAX_REPEAT"
    if str(after[0]) in ("MAX_REPEAT", "MIN_REPEAT"):
        if after[1][0] == 0 or len(after[1][2]) != 1:
            return False
        after = after[1][2][0]
    return bool(repeated) and not repeated & (_letters(after) or repeated)


def _letters(item: Any) -> set[int]:
    """The letters of Latin-1 that an item takes, in either case; none for what is not one letter."""
    kind, about = str(item[0]), item[1]
    every = set(range(256))
    match kind:
        case "LITERAL":
            found = {about}
        case "NOT_LITERAL":
            found = every - {about}
        case "ANY":
            return every
        case "IN":
            found = set[int]()
            for inner, what in about:
                if str(inner) == "LITERAL":
                    found.add(what)
                elif str(inner) == "RANGE":
                    found |= set(range(what[0], min(what[1], 255) + 1))
                elif str(inner) == "CATEGORY":
                    found |= _of_category(str(what))
            if str(about[0][0]) == "NEGATE":
                return every - found
        case _:
            return set()
    return found | {ord(c) for letter in found for c in (chr(letter).lower(), chr(letter).upper()) if len(c) == 1}


def _of_category(name: str) -> set[int]:
    tests: dict[str, Callable[[str], bool]] = {"DIGIT": str.isdigit, "SPACE": str.isspace, "WORD": lambda c: c.isalnum() or c == "_"}
    test: Callable[[str], bool] = tests.get(name.rpartition("_")[2], bool)
    return {n for n in range(256) if test(chr(n)) != ("_NOT_" in name)}


def _matches_of_one(kind: str, about: Any, length: int) -> float:
    match kind:
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            low, high, inner = about
            most = min(int(high), length)
            inside = _matches(inner, length)
            if inside == 1:
                return 1 if kind == "POSSESSIVE_REPEAT" else max(1, most - min(int(low), most) + 1)
            return inside**most if most * inside < 64 else _ENDLESS
        case "BRANCH":
            sides = [_matches(side, length) for side in about[1]]
            return max(sides) if _apart(about[1]) else sum(sides)
        case "SUBPATTERN":
            return _matches(about[-1], length)
        case "ATOMIC_GROUP":
            return _matches(about, length)
        case "ASSERT" | "ASSERT_NOT":
            return _matches(about[1], length)
        case "GROUPREF_EXISTS":
            return sum(_matches(side, length) for side in about[1:] if side is not None)
        case _:
            return 1


def _apart(sides: Any) -> bool:
    """Whether the first letter tells which alternative it is."""
    first = [side[0][1] if len(side) and str(side[0][0]) == "LITERAL" else None for side in sides]
    return None not in first and len(set(first)) == len(first)


def ends(run: Callable[[], Value]) -> bool:
    """Whether a call ends soon: it is tried in a child process, whose processor time is limited. Where there is no such thing, it is not tried."""
    if not hasattr(os, "fork"):
        return False
    import resource
    import signal
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the child runs nothing but the matcher
        child = os.fork()
    if child == 0:  # pragma: no cover
        try:
            for number in (signal.SIGINT, signal.SIGALRM, signal.SIGPROF, signal.SIGXCPU):
                signal.signal(number, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            signal.alarm(10 * SECONDS)
            run()
        except BaseException:
            pass
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return status == 0
