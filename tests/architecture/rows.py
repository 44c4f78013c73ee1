"""Does a spelling apply the operators that its row names? Drawn valid calls say so.

    python -m tests.architecture.rows numpy        # what does not hold, by spelling
    python -m tests.architecture.rows tf --via tf_math

Four things are held. *operator*: the row's operators are applied, or one that it names in place of them (`|`). *input*: each tensor that is given reaches
one of them, itself or through what other operators made of it. *result*: each tensor that comes out was made by an operator (or is one that was given).
*shape*: the operator's own rule, applied to the recorded arguments, gives the recorded shapes. A row `-> question` computes no tensor, and nothing is held
of it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from re import sub
from typing import Any

from tensorproof.bindings import rows as tables
from tensorproof.bindings.call import Outcome
from tensorproof.bindings.modules import Module
from tensorproof.bindings.options import session_of
from tensorproof.engines.generate import calls
from tensorproof.ops.applied import Applied
from tensorproof.ops.apply import apply
from tensorproof.ops.call import GiveUp, Prescribed, Refused
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

LIBRARY = {"torch": "torch", "tf": "tensorflow", "graphdef": "tensorflow", "keras": "keras", "numpy": "numpy", "onnx": "onnx"}
CALLS = 3


@dataclass(frozen=True)
class Wrong:
    """One thing that does not hold for a spelling."""

    spelling: str
    what: str
    detail: str
    via: str


def tensors(value: Any) -> Iterator[TensorType]:
    """The tensors of a nesting, Python numbers not counted."""
    if isinstance(value, TensorType):
        if not value.weak:
            yield value
    elif isinstance(value, Module):
        yield from tensors(value.parameters)
    elif isinstance(value, dict):
        yield from tensors(tuple(value.values()))
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from tensors(one)
    elif isinstance(value, slice):
        yield from tensors((value.start, value.stop, value.step))


def _reached(outcome: Outcome, operators: tuple[str, ...]) -> set[int]:
    """The identities of the tensors that an application of one of these operators depends on, or that depend on it."""
    sources: dict[int, set[int]] = {}
    found: set[int] = set()
    for one in outcome.applied:
        used = {id(t) for t in tensors(one.arguments)}
        used |= {i for u in used for i in sources.get(u, ())}
        for result in one.results:
            sources[id(result)] = used
        if one.op.name in operators:
            found |= used
            found |= {id(r) for r in one.results}
        elif used & found:
            found |= used
    return found


def _shown(shape: Shape) -> list[str]:
    """The sizes in words; the number of a symbol that a rule made is not compared."""
    return [sub(r"#\d+", "", repr(size)) for size in shape]


def _again(one: Applied) -> str:
    """What the operator's own rule says otherwise of the recorded arguments; empty when it agrees or cannot tell."""
    session = session_of(one.results[0].framework if one.results else "torch")
    try:
        made = apply(one.op, dict(one.arguments), session, one.spelling, Prescribed(tuple(r.dtype for r in one.results) or (None,)))
    except Refused as refused:
        return f"{one.op.name} refuses its arguments: {refused.requirement.message}"
    except GiveUp:
        return ""
    got = [r.shape for r in ((made,) if isinstance(made, TensorType) else made)]
    said = [r.shape for r in one.results]
    same = all(not a.known or not b.known or _shown(a) == _shown(b) for a, b in zip(got, said))
    return "" if len(got) == len(said) and same else f"{one.op.name} gives {got} and {said} is recorded"


def wrongs(name: str) -> list[Wrong] | None:
    """What does not hold for a spelling; None when no valid call could be drawn."""
    drawn = list(calls.search(name, CALLS, 0, 400).valid.values())
    if not drawn:
        return None
    found: dict[str, Wrong] = {}
    seen: set[str] = set()
    for one in drawn:
        outcome = calls.evaluate(one).outcome
        row, applied = one.row, outcome.applied
        names = {a.op.name for a in applied}
        seen |= names

        def wrong(what: str, detail: str, via: str = row.via) -> None:
            found.setdefault(what, Wrong(name, what, detail, via))

        if row.op == "question":
            continue
        if names.isdisjoint((row.op, *row.instead)):
            wrong("operator", f"{row.op} is not applied, but {sorted(names)}")
            continue
        reached = _reached(outcome, (*row.operators, *row.instead))
        given = {id(t): n for n, v in outcome.bound.items() for t in tensors(v)}
        lost = [n for i, n in given.items() if i not in reached]
        if lost:
            wrong("input", f"{', '.join(lost)} does not reach {' + '.join(row.operators)}")
        made = {id(r) for a in applied for r in a.results} | given.keys()
        if any(id(t) not in made for t in tensors(outcome.made)):
            wrong("result", "a result was made by no operator")
        for a in applied:
            found_wrong = _again(a)
            if found_wrong:
                wrong("shape", found_wrong)
    row = drawn[0].row
    missing = [op for op in row.operators if op not in seen and op != "question" and seen.isdisjoint(row.instead)]
    if missing and "operator" not in found:
        found["operator"] = Wrong(name, "operator", f"{missing} are not applied", row.via)
    return list(found.values())


def spellings(framework: str) -> list[str]:
    return [n for n in tables.names(LIBRARY[framework]) if n.partition(".")[0] == framework]


def main(framework: str, via: str = "") -> None:
    names = spellings(framework)
    count: dict[str, int] = {}
    undrawn = 0
    for name in names:
        found_wrong = wrongs(name)
        undrawn += found_wrong is None
        for one in found_wrong or ():
            count[one.what] = count.get(one.what, 0) + 1
            if via in one.via:
                print(f"{one.what:9}{name}  [{one.via}]  {one.detail}")
    print(f"{framework}: {len(names)} spellings, {undrawn} without a valid call drawn; not held: {count}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else "")
