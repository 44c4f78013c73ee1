"""Changes after which operations are proved safe: of a source line, or of the range of an input. Each is tried by analysing the program again."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from time import perf_counter

from tensorproof.app.check import check_source
from tensorproof.app.numerics.edits import Edit, edits
from tensorproof.app.numerics.preconditions import preconditions
from tensorproof.app.numerics.report import Report, numerics
from tensorproof.app.program import Options
from tensorproof.diagnostics.diagnostic import Severity
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.numerics.inputs.ranges import Given
from tensorproof.engines.numerics.records import Operation, Settings
from tensorproof.frontends.python.modules.source import parse
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.records import dataclass, replace

MOST_TRIED = BUDGETS.numerics.fixes
MOST_SECONDS = BUDGETS.numerics.seconds_for_fixes
NOT_SAFE = ("unsafe", "possible")


@dataclass(frozen=True, slots=True)
class Fix:
    """Lines of the main file, and what stands in their place. `codes` are those of the operations that are safe then."""

    codes: tuple[str, ...]
    path: str
    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


def fix(found: Report, options: Options, settings: Settings, given: Given, every: Sequence[Operation] = ()) -> None:
    """Find changes of the source, and for what they leave, preconditions on inputs; both go into the report. `every` holds also operations that are ignored."""
    whole = replace(found, operations=list(every or found.operations))
    found.fixing = True
    found.fixes, left = _fixed(whole, options, settings, given, [one for one in whole.operations if one not in found.operations])
    still = {(one.code, one.span.line, one.span.node) for one in left.operations if one.verdict in NOT_SAFE}
    mended = [one for one in found.operations if found.fixes and (one.code, one.span.line, one.span.node) not in still]
    found.preconditions = preconditions(found, settings, given, mended)
    narrowed = {(one.code, one.span) for p in found.preconditions for one in p.operations}
    found.unfixed = [one for one in found.operations if one.verdict in NOT_SAFE and one not in mended and (one.code, one.span) not in narrowed]


def fixes(found: Report, options: Options, settings: Settings, given: Given) -> list[Fix]:
    """The changes of the main file by which operations that are not safe are proved safe."""
    return _fixed(found, options, settings, given)[0]


def _fixed(found: Report, options: Options, settings: Settings, given: Given, ignored: Sequence[Operation] = ()) -> tuple[list[Fix], Report]:
    """Changes of the main file that are proved one after the other, without any other warning, and what is found of the program after them."""
    if not found.text:
        return [], found
    now, until, made = found, perf_counter() + MOST_SECONDS, list[tuple[str, str]]()
    before = -1
    while before < len(made) and perf_counter() < until:  # what was not proved before a later line was changed may be proved after it
        before, passed = len(made), {_known(found, one) for one in ignored}
        while (one := _next(now, passed)) is not None and perf_counter() < until:
            passed.add(_known(now, one))
            for change in islice(_new(edits(now.text, ast.parse(now.text), one)), MOST_TRIED):
                again = _proves(now, change, one, options, settings, given) if perf_counter() < until else None
                if again is not None:
                    made.append((one.code, change.new))
                    now = again
                    break
    return list(_hunks(found.path, found.text, now.text, made)), now


def _next(found: Report, passed: set[tuple[str, str]]) -> Operation | None:
    """The next operation of the main file that is not safe, the inner one of two on a line first."""
    left = [one for one in found.operations if one.verdict in NOT_SAFE and one.span.path == found.path and _known(found, one) not in passed]
    return min(left, key=lambda one: (one.span.line, one.span.end_line, one.span.end_column - one.span.column, one.code), default=None)


def _known(found: Report, one: Operation) -> tuple[str, str]:
    """An operation by its code and its text, which changes elsewhere leave as they are."""
    lines = found.text.splitlines()[one.span.line - 1 : one.span.end_line]
    return one.code, f"{one.span.column} {lines}"


def _new(changes: Iterator[Edit]) -> Iterator[Edit]:
    seen: set[Edit] = set()
    for change in changes:
        if change not in seen:
            seen.add(change)
            yield change


def _proves(found: Report, change: Edit, one: Operation, options: Options, settings: Settings, given: Given) -> Report | None:
    """What is found of the program after a change, where that proves the operation safe and loses nothing."""
    try:
        again = numerics(found.path, options, settings, replace(given, met=set[str]()), change.applied(found.text))
    except (BadInput, SyntaxError):
        return None
    before, after = _counted(found, NOT_SAFE), _counted(again, NOT_SAFE)
    proved = not change.keeps or one.code.endswith("/overflow") or _counted(again, ("safe",))[one.code] > _counted(found, ("safe",))[one.code]
    lost = _counted(again, ("unknown",)).total() > _counted(found, ("unknown",)).total() or len(again.gaps) > len(found.gaps)
    fewer = after[one.code] < before[one.code] and _fewer(found, again, (one.span.line, one.code))
    if not (proved and fewer and not lost and again.finished) or after - before:
        return None
    return again if _errors(again, options) <= _errors(found, options) else None


def _errors(found: Report, options: Options) -> int:
    """How many errors `check` finds: a change must not make the program crash, such as by a cast that other operands do not share."""
    program = check_source(parse(found.path, found.text), options)
    return sum(one.severity is Severity.ERROR for one in program.diagnostics)


def _fewer(found: Report, again: Report, place: tuple[int, str]) -> bool:
    """Whether fewer operations are in danger at this place."""
    return _at(again, place) < _at(found, place)


def _at(found: Report, place: tuple[int, str]) -> int:
    return sum((o.span.line, o.code) == place for o in found.operations if o.verdict in NOT_SAFE)


def _counted(found: Report, verdicts: Sequence[str]) -> Counter[str]:
    """How many operations of each code have one of these verdicts: a change may move lines."""
    return Counter(o.code for o in found.operations if o.verdict in verdicts)


def _hunks(path: str, before: str, after: str, made: Sequence[tuple[str, str]]) -> Iterator[Fix]:
    """The lines that differ."""
    from difflib import SequenceMatcher

    old, new = before.splitlines(), after.splitlines()
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            written = "\n".join(new[c:d])
            codes = dict.fromkeys(code for code, text in made if text in written)
            yield Fix(tuple(codes), path, a + 1, tuple(old[a:b]), tuple(new[c:d]))


def changed(text: str, made: Sequence[Fix]) -> str:
    """The program after these changes."""
    lines = text.splitlines()
    for fix in sorted(made, key=lambda f: f.line, reverse=True):
        lines[fix.line - 1 : fix.line - 1 + len(fix.old)] = fix.new
    return "\n".join(lines) + "\n" * text.endswith("\n")
