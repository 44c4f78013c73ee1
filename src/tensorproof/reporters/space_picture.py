"""The valid region over two parameters as a picture: for each pair of values, which share of the vectors with it is valid."""

from __future__ import annotations

import html
import io
from typing import Any

from tensorproof.app.spaces.report import Report
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.space.counting import pairs
from tensorproof.engines.space.parameters import Parameter

MOST_TICKS = 24


def write_picture(found: Report, names: str, path: str) -> None:
    """Draw to a PNG, SVG or HTML file, by its suffix."""
    first, second = _chosen(found, names)
    suffix = path.rpartition(".")[2].lower()
    if suffix not in ("png", "svg", "html"):
        raise BadInput(f"--plot-file {path}: a picture is a .png, .svg or .html file")
    figure = _figure(found, first, second)
    if suffix != "html":
        figure.savefig(path, format=suffix, dpi=120)
        return
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg")
    svg = drawn.getvalue()
    text = _page(found, first, second, svg[svg.index("<svg") :])
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def _chosen(found: Report, names: str) -> tuple[Parameter, Parameter]:
    known = {p.name: p for p in found.parameters}
    words = [word.strip() for word in names.split(",")]
    strange = next((word for word in words if word not in known), None)
    if len(words) != 2 or words[0] == words[1] or strange is not None:
        raise BadInput(f"--plot {names} must name two parameters of the space: {', '.join(known)}")
    return known[words[0]], known[words[1]]


def _figure(found: Report, first: Parameter, second: Parameter) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise BadInput("--plot needs matplotlib: pip install 'tensorproof[plot]'") from None
    valid, total = pairs(found.scenarios, first, second)
    share = valid / total.clip(min=1)
    figure = Figure(figsize=(7.5, 5.5), layout="constrained")
    axes = figure.add_subplot()
    image = axes.imshow(share, origin="lower", aspect="auto", cmap="cividis", vmin=0, vmax=1, interpolation="nearest")
    for set_ticks, p in ((axes.set_xticks, first), (axes.set_yticks, second)):
        step = -(-len(p.values) // MOST_TICKS)
        set_ticks(range(0, len(p.values), step), [str(v) for v in p.values[::step]])
    axes.tick_params(axis="x", labelrotation=0 if max(len(str(v)) for v in first.values) < 4 else 45)
    axes.set_xlabel(first.name)
    axes.set_ylabel(second.name)
    axes.set_title(f"share of valid vectors ({found.valid:,} of {found.vectors:,})")
    figure.colorbar(image, ax=axes, format=lambda x, _: f"{x:.0%}")
    return figure


def _page(found: Report, first: Parameter, second: Parameter, svg: str) -> str:
    causes = "".join(
        f"<tr><td class=n>{g.count:,}</td><td>{html.escape(g.cause.category or 'unknown')}</td><td><code>{html.escape(g.cause.code)}</code></td>"
        f"<td>{html.escape(f'{g.cause.span.path}:{g.cause.span.line}')}</td><td>{html.escape(g.cause.message)}</td></tr>"
        for g in found.groups
    )
    region = "".join(f"<li><code>{html.escape(text)}</code></li>" for text in found.region)
    title = f"{html.escape(found.path)}: {found.valid:,} of {found.vectors:,} vectors are valid"
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><style>body{{font:16px/1.5 system-ui;margin:2em auto;max-width:62em}}"
        "table{border-collapse:collapse}td,th{padding:.25em .6em;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}.n{text-align:right}"
        f"svg{{max-width:100%;height:auto}}</style><h1>{title}</h1><p>By {html.escape(first.name)} and {html.escape(second.name)}; each cell is the share "
        f"over all other parameters.</p>{svg}<h2>Causes</h2><table><tr><th>vectors<th>category<th>code<th>place<th>requirement</tr>{causes}</table>"
        f"<h2>Every valid vector meets</h2><ul>{region}</ul></html>"
    )
