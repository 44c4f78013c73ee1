"""Reports of `tensorproof numerics` for people: a table of the operations that may yield NaN or Inf, the totals, and what was assumed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from textwrap import dedent, wrap
from typing import TYPE_CHECKING

from tensorproof.app.numerics.report import Report
from tensorproof.diagnostics.span import Span
from tensorproof.engines.numerics.inputs.ranges import Assumption, Range
from tensorproof.engines.numerics.records import Operation

if TYPE_CHECKING:
    from tensorproof.app.numerics.fixes import Fix
    from tensorproof.app.numerics.preconditions import Precondition

MOST_CAUSES = 3
MOST_NAMED = 4
"""How many tensors are named that one assumption is about."""
WIDTHS = (12, 44, 34, 30, 34, 40)
"""How wide the columns of the table are at most: cells are wrapped."""
MOST_LISTED = 3
"""How many reasons for what was not followed are shown."""


def concise(found: Report, quiet: bool = False, verbose: bool = False) -> str:
    """One line for each finding."""
    lines = [f"{_place(d.span, column=True)}: {d.severity.value}[{d.code}]: {d.message}" for d in found.diagnostics]
    return "\n".join(lines if quiet else [*lines, summary(found)])


def full(found: Report, quiet: bool = False, verbose: bool = False) -> str:
    """The table, changes that make operations safe, assumptions, what was not followed, and the totals. `verbose`: without leaving anything out."""
    shown = [one for one in found.operations if verbose or one.verdict in ("unsafe", "possible")]
    blocks = [_table(shown)] if shown else []
    if found.fixes:
        blocks.append("\n".join(["proved safe after these changes:", *(line for f in found.fixes for line in _fix(f))]))
    if found.preconditions:
        blocks.append("\n".join(["proved safe with a narrower input (--range NAME=LO:HI):", *map(_narrower, found.preconditions)]))
    if found.unfixed and (found.fixes or found.preconditions):
        left = dict.fromkeys(f"  {_place(one.span)}  [{one.code}]" for one in found.unfixed)
        blocks.append("\n".join(["no change was found that is proved:", *left]))
    if not quiet:
        blocks += [text for text in (_assumptions(found, verbose), _not_followed(found, verbose), f"{summary(found)}{_next(found)}") if text]
    return "\n\n".join(blocks)


# --- operations ---


def _table(operations: Sequence[Operation]) -> str:
    head = ("verdict", "place", "operation", "operand", "safe where", "comes from")
    rows = [_cells(one) for one in operations]
    widths = [min(most, max(len(line) for row in [head, *rows] for line in row[i].split("\n"))) for i, most in enumerate(WIDTHS)]
    lines = list(_lines(head, widths))
    lines.append("  ".join("-" * width for width in widths))
    for row in rows:
        lines += _lines(row, widths)
    return "\n".join(lines)


def _cells(one: Operation) -> tuple[str, ...]:
    verdict = "not analysed" if one.verdict == "unknown" else one.verdict
    shown = "\nshown by run" if any(map(is_run, one.cause)) else ""
    return verdict + shown, _place(one.span), f"{one.spelling}\n{one.code}", interval(one.operand), f"{one.needed}\n(else {one.yields})", _causes(one)


def _lines(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """The lines of a row whose cells are wrapped."""
    cells = [[part for line in cell.split("\n") for part in wrap(line, width, break_on_hyphens=False) or [""]] for cell, width in zip(row, widths)]
    for i in range(max(map(len, cells))):
        yield "  ".join((cell[i] if i < len(cell) else "").ljust(width) for cell, width in zip(cells, widths)).rstrip()


def interval(ends: tuple[float, float]) -> str:
    """Bounds as they are printed."""
    return f"[{ends[0]:.6g}, {ends[1]:.6g}]"


def _causes(one: Operation) -> str:
    sources, runs = [each for each in one.cause if not is_run(each)], [each for each in one.cause if is_run(each)]
    rest = len(sources) - MOST_CAUSES
    text = ", ".join(sources[:MOST_CAUSES]) + (f" and {rest} more" if rest > 0 else "")
    return "\n".join([text, *runs[:1]]) if text else "\n".join(runs[:1])


def is_run(cause: str) -> bool:
    """Whether a cause names a run that showed what may happen."""
    return cause.startswith(("a real run", "shown by a run"))


def _place(span: Span, column: bool = False) -> str:
    if span.node:
        return f"{span.path}: node {span.node}" if column else span.node
    return f"{span.path}:{span.line}:{span.column}" if column else f"{span.path}:{span.line}"


# --- changes ---


def _fix(f: Fix) -> list[str]:
    """A change as lines that go and lines that come."""
    return [f"  {f.place}  [{', '.join(f.codes)}]", *(f"    - {line}" for line in _dedented(f.old)), *(f"    + {line}" for line in _dedented(f.new))]


def _dedented(lines: Sequence[str]) -> list[str]:
    return dedent("\n".join(lines)).splitlines()


def _narrower(p: Precondition) -> str:
    places = [f"{_place(one.span)} [{one.code}]" for one in p.operations]
    rest = len(places) - MOST_CAUSES
    return f"  {p.name} in {p.range}: {', '.join(places[:MOST_CAUSES])}" + (f" and {rest} more" if rest > 0 else "")


# --- what was assumed, and what was not followed ---


def shown_assumptions(found: Report) -> list[Assumption]:
    """The assumptions about numbers."""
    return [one for one in found.assumptions if one.reason != "elements that are not real numbers"]


def _assumptions(found: Report, verbose: bool) -> str:
    lines = [f"  {a.about} in {a.range}: {a.reason}" for a in shown_assumptions(found)] if verbose else list(_grouped(shown_assumptions(found)))
    lines += [f"  {name} = {size}: a size that is left open" for name, size in found.sizes.items()] if verbose else _grouped_sizes(found.sizes)
    lines += [f"  {name}: {text}" for name, text in found.shapes.items()]
    return "\n".join(["assumed:" if verbose else "assumed (-v lists each):", *lines]) if lines else ""


def _grouped(assumptions: Sequence[Assumption]) -> Iterator[str]:
    """Assumptions for the same reason in one line, with the range that holds all of them."""
    groups: dict[str, list[Assumption]] = {}
    for one in assumptions:
        groups.setdefault(re.sub(r" in \[[^]]*\]", "", one.reason), []).append(one)
    for reason, group in groups.items():
        whole = Range(min(one.range.lo for one in group), max(one.range.hi for one in group))
        names = list(dict.fromkeys(name for one in group for name in _names(one.about)))
        count = sum(_counted(one.about) for one in group)
        rest = count - min(len(names), MOST_NAMED)
        yield f"  {', '.join(names[:MOST_NAMED])}" + (f" and {rest} more" if rest > 0 else "") + f" in {whole}: {reason}"


def _grouped_sizes(sizes: Mapping[str, int]) -> list[str]:
    """Open sizes of the same number in one line."""
    groups: dict[int, list[str]] = {}
    for name, size in sizes.items():
        groups.setdefault(size, []).append(name)
    return [f"  {_some(names)} = {size}: {'sizes that are' if len(names) > 1 else 'a size that is'} left open" for size, names in groups.items()]


def _some(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    return ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")


def _names(about: str) -> list[str]:
    """The tensors that an assumption names; commas inside of brackets belong to a shape."""
    return re.split(r", (?![^(]*\))", re.sub(r" and \d+ more$", "", about))


def _counted(about: str) -> int:
    more = re.search(r" and (\d+) more$", about)
    return len(_names(about)) + (int(more[1]) if more else 0)


def _not_followed(found: Report, verbose: bool) -> str:
    most = None if verbose else MOST_LISTED
    lines = [f"  {without_bounds(name)}, {count} {_times(count)}" for name, count in found.unbounded.most_common(most)]
    gaps = Counter((g.callee, g.reason) for g in found.gaps).most_common(most)
    lines += [f"  {callee}, {count} {_times(count)}: {reason or 'not understood'}" for (callee, reason), count in gaps]
    rest = len(found.unbounded) + len({(g.callee, g.reason) for g in found.gaps}) - len(lines)
    return "\n".join(["not followed:", *lines, *([f"  and {rest} more (-v lists them)"] if rest else [])]) if lines else ""


def without_bounds(name: str) -> str:
    """An operator without bounds, with the reason, in words."""
    op, _, reason = name.partition(": ")
    reason = re.sub(r"^(Unbounded|NotEvaluated)(: )?", "", reason)
    return f"no bounds for operator {op}" + (f" ({reason})" if reason else "")


def _times(count: int) -> str:
    return "time" if count == 1 else "times"


def _next(found: Report) -> str:
    """What a user may ask next of the first finding."""
    first = next((one for one in found.operations if one.verdict in ("unsafe", "possible")), None)
    if first is None:
        return ""
    fix = "" if found.fixes or found.preconditions else "--fix proposes changes that are proved · "
    if found.fixing and fix:
        fix = "no change was found that is proved · "
    return f"\n{fix}tensorproof explain {first.code}"


def summary(found: Report) -> str:
    """The totals in one line."""
    count = len(found.operations)
    parts = [f"{found.count('safe')} proved safe", f"{found.count('possible')} possible", f"{found.count('unsafe')} unsafe"]
    if found.count("unknown"):
        parts.append(f"{found.count('unknown')} not analysed")
    text = f"{count} {'operation' if count == 1 else 'operations'} that can yield NaN or Inf: {' · '.join(parts)}"
    if not count:
        open_ends = found.gaps or found.unbounded or found.suppressed or not found.finished
        text = "no operation that can go wrong was found" if open_ends else "no operation can go wrong here"
    if found.suppressed:
        text += f" · {found.suppressed} left out by --select, --ignore or a comment"
    if found.gaps:
        text += f" · {len(found.gaps)} {'call' if len(found.gaps) == 1 else 'calls'} not understood"
    return text if found.finished else f"{text} · {late(found)}"


def late(found: Report) -> str:
    """What the time limit left out."""
    return f"the time limit is reached, {found.left} of {found.left + found.applied} operators are not analysed"
