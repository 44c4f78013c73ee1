"""The numerics report as one HTML page that needs nothing beside it: table, totals, picture of the graph, assumptions, and what was not followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from string import Template

from tensorproof.app.numerics.picture import Picture, picture
from tensorproof.app.numerics.report import ORDER, Report
from tensorproof.diagnostics.span import Span
from tensorproof.engines.numerics.records import Operation
from tensorproof.reporters.drawing import svg
from tensorproof.reporters.numerics import interval, late, shown_assumptions, without_bounds

MOST_ROWS = 5_000
"""How many operations the table lists."""
WORDS = {"unknown": "not analysed"}


def page(found: Report) -> str:
    """The whole page."""
    drawn = picture(found)
    sections = [_operations(found, drawn), _fixes(found), _graph(drawn), _assumptions(found), _not_followed(found)]
    template = Template(files("tensorproof.reporters").joinpath("numerics_page.html").read_text(encoding="utf-8"))
    return template.substitute(title=escape(found.path), totals=_totals(found), sections="\n".join(filter(None, sections)))


def _totals(found: Report) -> str:
    chips = [f'<span class="chip {verdict}">{found.count(verdict)} {WORDS.get(verdict, verdict)}</span>' for verdict in ORDER]
    rest = "" if found.finished else f" · {late(found)}"
    every = f"{len(found.operations)} operations that can yield NaN or Inf, among {found.applied} applied operators"
    return f"{' '.join(chips)} of {every} · {found.seconds:.2f} s{rest}"


# --- operations ---


def _operations(found: Report, drawn: Picture) -> str:
    if not found.operations:
        return "<p>No operation that can go wrong was found.</p>"
    numbers = {(node.span, node.op): i for i, node in drawn.nodes.items() if node.span is not None}
    lines = found.text.splitlines()
    shown = sorted(found.operations, key=lambda one: ORDER.index(one.verdict))
    anchored: set[int] = set()
    rows: list[str] = []
    for one in shown[:MOST_ROWS]:
        number = numbers.get((one.span, one.op))
        anchor = f' id="of{number}"' if number is not None and number not in anchored else ""
        anchored.update([number] if number is not None else [])
        rows.append(f'<tr class="row-{one.verdict}"{anchor}>{_cells(one, number, lines if one.span.path == found.path else [])}</tr>')
    left = f"<p>{len(shown) - MOST_ROWS} further operations are not listed.</p>" if len(shown) > MOST_ROWS else ""
    only_safe = found.count("safe") == len(shown)
    toggle = "" if only_safe else f'<label><input type="checkbox" id="show-safe"> also list the {found.count("safe")} that are proved safe</label>'
    head = _row(("verdict", "place", "operation", "operand", "safe where", "else", "comes from"), "th")
    table = f'<table id="operations"{" class=all" if only_safe else ""}><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    return f"<h2>Operations</h2>{toggle}{table}{left}"


def _cells(one: Operation, number: int | None, lines: Sequence[str]) -> str:
    place = escape(_place(one.span))
    if number is not None:
        place = f'<a href="#picture" data-node="node{number}" title="show it in the graph">{place}</a>'
    source = f'<code class="source-line">{escape(lines[one.span.line - 1].strip())}</code>' if 0 < one.span.line <= len(lines) else ""
    return "".join([
        f'<td><span class="chip {one.verdict}">{WORDS.get(one.verdict, one.verdict)}</span></td><td class="place">{place}{source}</td>',
        f'<td>{escape(one.spelling)}<br><code class="code">{escape(one.code)}</code></td>',
        f'<td class="number">{escape(interval(one.operand))}</td><td>{escape(one.needed)}</td>',
        f"<td>{escape(one.yields)}</td><td>{escape(', '.join(one.cause))}</td>",
    ])  # fmt: skip


def _place(span: Span) -> str:
    return span.node or f"{span.path}:{span.line}"


def _fixes(found: Report) -> str:
    rows = [
        tuple(f'<code class="source-line">{escape(text)}</code>' for text in (f.place, "\n".join(f.old), "\n".join(f.new), ", ".join(f.codes)))
        for f in found.fixes
    ]
    narrower = [
        (escape(p.name), str(p.range), "<br>".join(f"{escape(_place(one.span))} <code>{escape(one.code)}</code>" for one in p.operations))
        for p in found.preconditions
    ]
    changes = _table("Changes that are proved to make an operation safe", ("place", "before", "after", "against"), rows)
    return changes + _table("Narrower inputs that are proved to make an operation safe", ("input", "range", "operations"), narrower)


# --- graph ---


def _graph(drawn: Picture) -> str:
    if not drawn.nodes:
        return ""
    drawing = svg(drawn)
    if drawing is None:
        return "<h2>Graph</h2><p>It is not drawn: Graphviz is missing (<code>pip install 'tensorproof[html]'</code>) or did not end in time.</p>"
    operators = sum(bool(node.op) for node in drawn.nodes.values())
    what = f"All {drawn.every} operators."
    if operators < drawn.every:
        what = f"{operators} of {drawn.every} operators: what {drawn.shown} of the {drawn.findings} that may go wrong compute from, as far as it fits."
    kinds = " ".join(f'<span class="chip {kind}">{text}</span>' for kind, text in _LEGEND)
    note = "Below a name are the bounds of its result. Scroll to zoom, drag to move; a marked node leads to its row, and a place in the table to its node."
    return f'<h2>Graph</h2><p>{what} {note}</p><p>{kinds} <button id="fit">show all</button></p><div id="picture">{drawing}</div>'


_LEGEND = (("unsafe", "unsafe"), ("possible", "possible"), ("unknown", "not analysed"), ("safe", "proved safe"), ("source", "input or parameter"))


# --- what was assumed, and what was not followed ---


def _assumptions(found: Report) -> str:
    rows = [(escape(a.about), escape(str(a.range)), escape(a.reason)) for a in shown_assumptions(found)]
    rows += [(escape(name), str(size), "a size that is left open") for name, size in found.sizes.items()]
    rows += [(escape(name), escape(text), "a shape that is left open") for name, text in found.shapes.items()]
    return _table("Assumptions", ("about", "assumed", "reason"), rows)


def _not_followed(found: Report) -> str:
    rows = [(escape(without_bounds(name)), str(count), "its results may be any numbers") for name, count in found.unbounded.most_common()]
    gaps = Counter((g.callee, _place(g.span), g.reason) for g in found.gaps)
    rows += [(f"{escape(callee)} ({escape(place)})", str(count), escape(reason or "not understood")) for (callee, place, reason), count in gaps.most_common()]
    return _table("Not followed", ("what", "times", "reason"), rows)


def _table(title: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    body = "".join(f"<tr>{_row(row)}</tr>" for row in rows)
    return f"<h2>{title}</h2><table><thead><tr>{_row(head, 'th')}</tr></thead><tbody>{body}</tbody></table>" if body else ""


def _row(cells: Iterable[str], tag: str = "td") -> str:
    return "".join(f"<{tag}>{cell}</{tag}>" for cell in cells)
