"""One unknown condition has one truth on a path: an unknown value that a name holds has a key, and a question about it is named by that key."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.libraries import outside
from tensorproof.libraries.whole_numbers import held_size, same_size
from tensorproof.terms.predicates import Predicate, Truth, disj, flag, implies, negate
from tensorproof.terms.records import replace
from tensorproof.values.objects import List, Set
from tensorproof.values.python_values import AFTER_ERROR, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_NOT = "not "
_MOST_LETTERS = 200
_SIGNS = {"eq": "==", "gt": ">", "lt": "<", "ge": ">=", "le": "<="}
_OPPOSITE = {"ne": "eq", "le": "gt", "ge": "lt"}
"""Comparisons that are the opposite of another: of real numbers that are numbers, and of what is equal or not."""


def named(m: Interpreter, value: Value, word: str, node: ast.AST) -> Value:
    """An unknown value that a name or an attribute comes to hold: from here on, questions about it have one answer."""
    if type(value) is not Unknown or value.key or value is AFTER_ERROR:
        return value
    made = m.name_here(word, node)
    m.session.names.add(made)
    keyed = replace(value, key=made)
    outside.passed_on(m, value, keyed)
    size = held_size(m, value)
    if size is not None:
        same_size(m, keyed, size)
    return keyed


def part(m: Interpreter, owner: Unknown, words: str) -> str:
    """The key of an attribute or an item of an unknown value, until something unknown may have been written."""
    if not owner.key or len(owner.key) > _MOST_LETTERS:
        return ""
    writes = m.unknown_writes.get(_holder(owner.key), 0)
    made = f"{owner.key}{words}" + (f"~{writes}" if writes else "")
    if owner.key in m.session.names:
        m.session.names.add(made)
    return made


def _holder(key: str) -> str:
    """The value of which something is a part, by its key."""
    return key.partition("~")[0].partition("[")[0]


def written(m: Interpreter, *values: Value) -> None:
    """What an unknown call may have changed: the value whose method it is, and the arguments. Their parts are others from here on."""
    for value in values:
        if isinstance(value, Unknown) and value.key:
            words = _holder(value.key).split(".")
            for n in range(1, len(words) + 1):
                held = ".".join(words[:n])
                m.unknown_writes[held] = m.unknown_writes.get(held, 0) + 1


def _constant(value: Value) -> str | None:
    """A value in words that say all of it; None where they cannot."""
    if isinstance(value, Unknown):
        return value.key or None
    if value is None or isinstance(value, (str, int, float, bool, bytes)):
        return repr(value)
    if isinstance(value, (tuple, List, Set)):
        parts = [_constant(v) for v in (value if isinstance(value, tuple) else value.items)]
        return None if None in parts else f"({', '.join(str(p) for p in parts)})"
    return None


def asked(m: Interpreter, word: str, a: Value, b: Value, number: str = "") -> Unknown:
    """The answer to a comparison of which one side at least is unknown."""
    words = _constant(a), _constant(b)
    if None in words or sum(len(str(w)) for w in words) > _MOST_LETTERS:
        return Unknown(word, number=number)
    base = word
    if word in _OPPOSITE and (word == "ne" or number):
        base = _OPPOSITE[word]
    key = f"{words[0]} {_SIGNS.get(base, base)} {words[1]}"
    if any(isinstance(v, Unknown) and v.key in m.session.names for v in (a, b)):
        m.session.names.add(key)
    if number and isinstance(b, (int, float)) and base in ("gt", "lt"):
        _ordered(m, str(words[0]), base, float(b), key)
    return Unknown(word, number=number, key=key if base is word else _NOT + key)


def negated(value: Unknown) -> Unknown:
    """The answer to the opposite question."""
    if not value.key:
        return value
    return replace(value, key=value.key.removeprefix(_NOT) if value.key.startswith(_NOT) else _NOT + value.key)


def truth(m: Interpreter, value: Unknown, node: ast.AST) -> Truth:
    """The truth of an unknown value."""
    if value is AFTER_ERROR:
        m.path.lost = True
    if not value.key:
        value = replace(value, key=m.name_here(value.reason, node))
        m.session.names.add(value.key)
    if value.world:
        m.path.asked[value.key.removeprefix(_NOT)] = value.world
    return by_key(value.key)


def by_key(key: str) -> Truth:
    """The truth of an unknown value that has a key."""
    return negate(flag(key.removeprefix(_NOT))) if key.startswith(_NOT) else flag(key)


def _ordered(m: Interpreter, name: str, word: str, bound: float, key: str) -> None:
    """What was asked of the same number before, with another bound, has to do with this question."""
    known = m.bounds_asked.setdefault(name, {})
    if key in known:
        return
    mine = flag(key)
    for other, (its_word, its_bound) in known.items():
        theirs = flag(other)
        fact: Truth = True
        if its_word == word:
            mine_implies = bound >= its_bound if word == "gt" else bound <= its_bound
            fact = implies(mine, theirs) if mine_implies else implies(theirs, mine)
        elif (word == "gt" and bound >= its_bound) or (word == "lt" and bound <= its_bound):
            fact = disj(negate(mine), negate(theirs))
        m.assume(fact)
    known[key] = (word, bound)


def followed(facts: list[Predicate], p: Predicate) -> bool | None:
    """What facts of the form "one of these" say of a flag when all others of them are known to be false."""
    opposite = negate(p)
    for fact in facts:
        if fact.kind == "or" and (p in fact.args or opposite in fact.args):
            side = p if p in fact.args else opposite
            if all(part is side or negate(part) in facts for part in fact.args):
                return side is p
    return None
