"""re: patterns run as they are on concrete texts, as long as what they may cost is bounded."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from tensorproof.libraries import KindModel, Run, from_host, iterator, some_iterations
from tensorproof.libraries.python.core import texts
from tensorproof.terms.samples import WORDS
from tensorproof.values import MISSING, TEXT, WHOLE, Args, Kwargs, Machine, Model, Unknown, Value

_SEARCHES = ("match", "search", "fullmatch", "findall", "finditer", "split", "sub", "subn")
_LONGEST = 10_000
_MOST_LETTERS = 10_000_000
_TRIAL, _FAILED_TRIAL = 100, 10_000
"""What a trial in a child process counts as, in steps."""


def _found(m: Machine, value: Value) -> Value:
    """A result of the real module as a value of the program."""
    if isinstance(value, re.Match):
        return Model("re.Match", m.heap.space({"host": value}))
    if isinstance(value, list | tuple):
        return from_host(m, value)
    return value


def _unknown_result(m: Machine, name: str, node: ast.AST, groups: int = 0) -> Value:
    if name in ("match", "search", "fullmatch"):
        return Model("re.Match", m.heap.space({"host": None}))
    if name == "finditer":
        return Model("re.matches", m.heap.space())
    if name == "subn":
        return (TEXT, WHOLE)
    return TEXT if name == "sub" else Unknown(name) if groups > 1 else texts(m, node, WORDS)


def _search(m: Machine, name: str, pattern: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    looked = args if name in ("sub", "subn") else args[:1]
    groups = pattern.groups if isinstance(pattern, re.Pattern) else 2
    if not isinstance(pattern, re.Pattern) or any(isinstance(t, Unknown) for t in args):
        return _unknown_result(m, name, node, groups)
    given = list(args)
    if name in ("sub", "subn") and not isinstance(given[0], str):
        function = given[0]

        def replaced(found: re.Match[str]) -> str:
            made = m.call(function, (_found(m, found),), {}, node)
            if not isinstance(made, str):
                raise _NotKnown
            return made

        given[0] = replaced
        looked = args[1:]
    for text in looked:
        if not isinstance(text, str):
            raise m.raised("TypeError", f"a pattern looks into texts, not into {type(text).__name__}", node)
        if len(text) > _LONGEST:
            return _unknown_result(m, name, node, groups)
    if not _ends_soon(m, pattern, name, given, kwargs):
        m.gap(f"re.{name}", node, "the regular expression takes too long, or its result is too large")
        return _unknown_result(m, name, node, groups)
    try:
        result = getattr(pattern, name)(*given, **kwargs)
    except _NotKnown:
        return _unknown_result(m, name, node, groups)
    except (TypeError, ValueError, IndexError, re.error) as error:
        raise m.raised(type(error).__name__, f"{type(error).__name__}: {error}", node) from None
    return iterator(m, [_found(m, one) for one in result]) if name == "finditer" else _found(m, result)


def _ends_soon(m: Machine, pattern: re.Pattern[str], name: str, given: list[Value], kwargs: Kwargs) -> bool:
    """Whether a search ends soon, and gives no more than fits."""
    texts = [t for t in given[:2] if isinstance(t, str)]
    length = max(map(len, texts), default=0)
    replacement = given[0] if name in ("sub", "subn") and isinstance(given[0], str) else ""
    if (length + 1) * (len(replacement) + replacement.count("\\") * length) > _MOST_LETTERS:
        return False
    if bound(pattern.pattern, pattern.flags & ~re.UNICODE, length) <= MOST_MATCHES:
        return True
    tried = given if not callable(given[0]) else [lambda found: "", *given[1:]]
    m.step(_TRIAL)
    if ends(lambda: getattr(pattern, name)(*tried, **kwargs)):
        return True
    m.step(_FAILED_TRIAL)
    return False


class _NotKnown(Exception):
    """A replacement is not known."""


def _compiled(m: Machine, pattern: Value, flags: Value, node: ast.AST) -> Value:
    if isinstance(pattern, Model) and pattern.kind == "re.Pattern":
        return pattern.space["host"]
    if not isinstance(pattern, str) or not isinstance(flags, int) or len(pattern) > LONGEST_PATTERN:
        return None
    try:
        return re.compile(pattern, int(flags) & ~re.DEBUG)
    except (RecursionError, OverflowError):
        return None
    except (re.error, ValueError) as error:
        raise m.raised("error", f"the pattern {pattern!r} is wrong: {error}", node, "python/value") from None


def _compile(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    flags = args[1] if len(args) > 1 else kwargs.get("flags", 0)
    return Model("re.Pattern", m.heap.space({"host": _compiled(m, args[0], flags, node)}))


def _function(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    named = dict(kwargs)
    flags = named.pop("flags", 0)
    count = 3 if name in ("sub", "subn") else 2
    if len(args) > count and name not in ("sub", "subn", "split"):
        flags, args = args[count], args[:count]
    return _search(m, name, _compiled(m, args[0], flags, node), args[1:], named, node)


def _method(name: str) -> Run:
    return lambda m, me, args, kwargs, node: _search(m, name, me.space["host"], args, kwargs, node)


def _of_match(name: str, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    host = me.space["host"]
    if host is None:
        return TEXT if name == "group" and len(args) < 2 else Unknown(name)
    try:
        return from_host(m, getattr(host, name)(*args, **kwargs))
    except (IndexError, TypeError) as error:
        raise m.raised(type(error).__name__, f"{type(error).__name__}: {error}", node) from None


def _match_attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    host = me.space["host"]
    if name in ("string", "pos", "endpos", "lastindex", "lastgroup"):
        return TEXT if host is None else getattr(host, name)
    return MISSING


FUNCTIONS: dict[str, Run] = {
    "re.compile": _compile, **{f"re.{name}": partial(_function, name) for name in _SEARCHES},
    "re.escape": lambda m, a, k, n: TEXT if isinstance(a[0], Unknown) else m.call(re.escape, a, k, n),
    "regex.compile": lambda m, a, k, n: Model("re.Pattern", m.heap.space({"host": None})),
    **{f"regex.{name}": lambda m, a, k, n, name=name: _unknown_result(m, name, n, 0 if "(" not in str(a[0]) else 2) for name in _SEARCHES},
}  # fmt: skip
KINDS = {
    "re.Pattern": KindModel(
        methods={name: _method(name) for name in _SEARCHES},
        attribute=lambda m, me, name, node: getattr(me.space["host"], name) if name in ("pattern", "flags", "groups") and me.space["host"] is not None
        else MISSING,
    ),
    "re.Match": KindModel(
        methods={name: partial(_of_match, name) for name in ("group", "groups", "groupdict", "start", "end", "span")}, attribute=_match_attribute,
        item=lambda m, me, index, node: _of_match("group", m, me, (index,), {}, node), open=True,
        truth=lambda m, me: True if me.space["host"] is not None else Unknown("a match"),
    ),
    "re.matches": KindModel(iterations=lambda m, me, node: some_iterations(m, "matches", _unknown_result(m, "match", node), node), open=True),
}  # fmt: skip


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
