"""Draws the graph of a numerics report as SVG, by Graphviz. It runs in a child process: it is C, and a graph may keep it busy for long."""

from __future__ import annotations

import subprocess
import sys

from tensorproof.app.numerics.picture import Node, Picture
from tensorproof.reporters.numerics import interval

MOST_SECONDS = 60.0
MOST_LETTERS = 44
"""How much of a name is shown; the tooltip has all of it."""
LARGEST = 3.4e38
"""Bounds beyond it in both directions say nothing of a float32 or a float64."""
FILL = {"unsafe": "#f4a6a0", "possible": "#f9d98c", "unknown": "#d9d9d9", "safe": "#bfe3bf"}
_DRAW = "import sys, pygraphviz; sys.stdout.buffer.write(pygraphviz.AGraph(string=sys.stdin.buffer.read().decode()).draw(format='svg', prog='dot'))"


def svg(picture: Picture) -> str | None:
    """The drawing without the XML head; None where Graphviz is not installed or did not end."""
    try:
        done = subprocess.run([sys.executable, "-c", _DRAW], input=dot(picture).encode(), capture_output=True, timeout=MOST_SECONDS, check=False)
    except (subprocess.TimeoutExpired, OSError):
        return None
    text = done.stdout.decode(errors="replace")
    return text[text.index("<svg") :] if done.returncode == 0 and "<svg" in text else None


def dot(picture: Picture) -> str:
    """The graph in Graphviz's language."""
    lines = ["digraph {", "graph [bgcolor=transparent, ranksep=0.35, nodesep=0.25]", 'edge [color="#777777", arrowsize=0.6]']
    lines.append('node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11]')
    lines += [f"n{i} [{_attributes(i, node)}]" for i, node in picture.nodes.items()]
    lines += [f"n{before} -> n{i}" for i, node in picture.nodes.items() for before in node.before]
    return "\n".join([*lines, "}"])


def _attributes(number: int, node: Node) -> str:
    place = "" if node.span is None else node.span.node or f"line {node.span.line}"
    bounds = interval(node.bounds) if node.bounds is not None else ""
    if node.bounds is not None and node.bounds[0] <= -LARGEST and node.bounds[1] >= LARGEST:
        bounds = "any number"
    label = [part for part in (_short(place), _short(node.name), bounds) if part]
    tip = " · ".join(part for part in (place, node.name, bounds, node.verdict) if part)
    fill = FILL.get(node.verdict, "#ffffff" if node.op else "#dce8f7")
    found = {"id": f"node{number}", "class": node.verdict or "plain", "label": "\n".join(label), "tooltip": tip, "fillcolor": fill}
    if not node.op:
        found["shape"] = "ellipse"
    if node.verdict in ("unsafe", "possible"):
        found |= {"penwidth": "2.5", "color": "#b3261e" if node.verdict == "unsafe" else "#a66b00", "URL": f"#of{number}"}
    return ", ".join(f"{name}={_quoted(text)}" for name, text in found.items())


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _short(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else f"…{text[-MOST_LETTERS:]}"
