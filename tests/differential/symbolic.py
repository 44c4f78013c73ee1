"""A program with inputs that are symbols to us: our paths, evaluated at each of twenty inputs, must be what CPython does there."""

from __future__ import annotations

import random
import sys
from typing import Any

from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.modules.source import parse
from tensorproof.terms.ints import Origin, symbol
from tensorproof.terms.predicates import conj, flag
from tensorproof.values.path import Path
from tests.differential.agree import Input, NotKnown, Walk
from tests.differential.concrete import Outcome, TooLong, at_most, compiled, python
from tests.differential.programs import INPUTS

COUNT = 20
_EXCEPTIONS = {
    "python/index": "IndexError",
    "python/assert": "AssertionError",
    "python/unpack": "ValueError",
    "python/zero-division": "ZeroDivisionError",
}


def inputs() -> dict[str, Any]:
    return {"a": symbol("a", *INPUTS["a"], Origin.WORLD), "b": symbol("b", *INPUTS["b"], Origin.WORLD), "c": flag("c")}


def points(count: int = COUNT) -> list[dict[str, Any]]:
    every = [{"a": a, "b": b, "c": c} for a in range(INPUTS["a"][0], INPUTS["a"][1] + 1) for b in range(INPUTS["b"][1] + 1) for c in (False, True)]
    return random.Random(7).sample(every, count)


def ending(path: Path, at: Input) -> str | None:
    """How the path ends at an input: with an exception's class, with "" at its end, or None when the path is not this input's."""
    for stated in path.stated:
        if at.truth(conj(*stated.facts)) and not at.truth(stated.requirement.predicate):
            return stated.exception or _EXCEPTIONS.get(stated.requirement.code, stated.requirement.code)
    if path.left and at.truth(conj(*path.facts)):
        return "AssertionError"  # of data, and no handler takes it: it is taken to hold, as outside of a `try`
    return "" if not path.ended and at.truth(conj(*path.facts)) else None


def compare(text: str) -> Outcome:
    code = compiled(text)
    where = points()
    expected = [python(code, point) for point in where]
    if any(raised == "TooLong" for _, raised in expected):
        return Outcome(skipped="too long")
    outcome = Outcome(raised=next((r for _, r in expected if r), ""))
    found: list[list[str]] = [[] for _ in where]
    opened = False

    def ended(run: Any) -> None:
        nonlocal opened
        outcome.gaps += len(run.path.gaps)
        for i, point in enumerate(where):
            at = Input({k: v for k, v in point.items() if k != "c"}, {"c": point["c"]})
            try:
                end = ending(run.path, at)
            except NotKnown:
                opened = True
                continue
            if end is None:
                continue
            if end and end in found[i]:
                continue  # the exception came before the decision by which two paths differ
            found[i].append(end)
            if end == expected[i][1] == "":
                walk = Walk(at)
                try:
                    difference = walk.globals(run.modules.main.space, expected[i][0])
                except NotKnown:  # a value hangs on a condition that was left open
                    opened = True
                    continue
                outcome.values += walk.values
                outcome.unknown += walk.unknown
                if difference and not outcome.difference:
                    outcome.difference = f"{difference} at {point}"

    limit = sys.getrecursionlimit()
    try:
        with at_most(30):
            explored = explore(parse("program.py", text), inputs=inputs(), ended=ended, stop_at_error=True)
    except TooLong:
        return Outcome(difference="ours takes more than 30 s")
    except Exception as error:
        sys.setrecursionlimit(limit)
        return Outcome(difference=f"our own {type(error).__name__}: {error}")
    outcome.paths = len(explored.paths)
    if outcome.gaps:
        outcome.difference = ""
        outcome.skipped = str(explored.paths[-1].gaps[:1] or "gap")
        return outcome
    if outcome.difference or opened:
        outcome.skipped = "open" if opened else ""
        return outcome
    for i, point in enumerate(where):
        ends = found[i]
        if len(ends) != 1:
            outcome.difference = f"{len(ends)} paths apply: {ends}, Python's ends with {expected[i][1] or 'no exception'} at {point}"
            return outcome
        if ends[0] != expected[i][1]:
            outcome.difference = f"ours ends with {ends[0] or 'no exception'}, Python's with {expected[i][1] or 'none'} at {point}"
            return outcome
    return outcome
