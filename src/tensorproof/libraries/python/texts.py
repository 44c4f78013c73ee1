"""re: patterns run as they are on concrete texts."""

from __future__ import annotations

import ast
import re
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, from_host, iterator, some_iterations
from tensorproof.libraries.python import pattern_cost
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
    if pattern_cost.bound(pattern.pattern, pattern.flags & ~re.UNICODE, length) <= pattern_cost.MOST_MATCHES:
        return True
    tried = given if not callable(given[0]) else [lambda found: "", *given[1:]]
    m.step(_TRIAL)
    if pattern_cost.ends(lambda: getattr(pattern, name)(*tried, **kwargs)):
        return True
    m.step(_FAILED_TRIAL)
    return False


class _NotKnown(Exception):
    """A replacement is not known."""


def _compiled(m: Machine, pattern: Value, flags: Value, node: ast.AST) -> Value:
    if isinstance(pattern, Model) and pattern.kind == "re.Pattern":
        return pattern.space["host"]
    if not isinstance(pattern, str) or not isinstance(flags, int) or len(pattern) > pattern_cost.LONGEST_PATTERN:
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
VALUES: dict[str, object] = {
    f"re.{name}": int(getattr(re, name)) for name in ("I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL", "X", "VERBOSE", "A", "ASCII", "U", "UNICODE")
}
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
