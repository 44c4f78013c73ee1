"""The HTML page of `tensorproof numerics --html`: it holds all that the text report holds, draws the neighbourhood of findings, and escapes what files say."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tensorproof.app.numerics.picture import Picture, picture
from tensorproof.app.numerics.report import Report, numerics
from tensorproof.app.program import Options
from tensorproof.cli.main import main
from tensorproof.engines.numerics.inputs.ranges import Given
from tensorproof.engines.numerics.records import Settings
from tensorproof.reporters.drawing import dot, svg
from tensorproof.reporters.numerics_html import page

PROGRAM = """import torch
import torch.nn as nn

model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10), nn.Softmax(dim=1))
x = torch.randn(32, 20)
loss = -torch.log(model(x)).mean()
"""


def analysed(folder: Path, code: str) -> Report:
    file = folder / "program.py"
    file.write_text(code, encoding="utf-8")
    return numerics(str(file), Options(), Settings(), Given())


def named(drawn: Picture, name: str) -> list[int]:
    return [i for i, node in drawn.nodes.items() if node.name == name]


def test_operators_follow_what_they_compute_from(tmp_path: Path) -> None:
    drawn = picture(analysed(tmp_path, PROGRAM))
    (log,), (softmax,), linear = named(drawn, "torch.log"), named(drawn, "torch.nn.Softmax"), named(drawn, "torch.nn.Linear")
    assert list(drawn.nodes[log].before) == [softmax] and list(drawn.nodes[softmax].before) == [linear[1]]
    assert drawn.nodes[log].verdict in ("unsafe", "possible") and drawn.nodes[softmax].bounds == (0.0, 1.0)
    assert named(drawn, "model.0.weight")[0] in drawn.nodes[linear[0]].before


def test_parameters_that_are_trained_are_drawn(tmp_path: Path) -> None:
    train = "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nfor _ in range(9):\n    model(x).log().mean().backward()\n    optimizer.step()\n"
    drawn = picture(analysed(tmp_path, PROGRAM + train))
    assert named(drawn, "model.0.weight") and named(drawn, "model.2.bias")


def test_iterations_of_a_loop_are_drawn_once(tmp_path: Path) -> None:
    drawn = picture(analysed(tmp_path, "import torch\nfor _ in range(50):\n    x = torch.rand(8)\n    y = torch.log(x)\n"))
    assert len(named(drawn, "torch.log")) == 1


def test_of_a_large_graph_the_neighbourhood_of_findings_is_drawn(tmp_path: Path) -> None:
    lines = "".join(f"y{i} = y{i - 1} + {i}\n" for i in range(1, 400))
    drawn = picture(analysed(tmp_path, f"import torch\ny0 = torch.rand(8)\nz = torch.log(y0)\n{lines}"), most=60)
    assert drawn.every > 400 and len(drawn.nodes) < 60 and (drawn.findings, drawn.shown) == (1, 1)
    assert named(drawn, "torch.log") and named(drawn, "torch.rand")


def test_the_page_is_whole_and_needs_nothing_beside_it(tmp_path: Path) -> None:
    text = page(analysed(tmp_path, PROGRAM))
    opened: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            opened.append(tag)
            assert not any(name in ("src", "href") and value and not value.startswith("#") for name, value in attrs)

    Reader().feed(text)
    assert opened.count("table") >= 2 and "log/non-positive" in text and "initialised near 0 and trained" in text
    assert "-torch.log(model(x)).mean()" in text


def test_names_of_a_file_are_escaped(tmp_path: Path) -> None:
    found = analysed(tmp_path, PROGRAM)
    found.path = "<script>alert(1)</script>"
    for form in found.forms:
        form.names = {i: ['"] <script>alert(2)</script> \\N'] for i in form.names}
    text = page(found)
    assert "<script>alert" not in text
    assert '\\"] <script>' in dot(picture(found))


def test_graphviz_draws_it(tmp_path: Path) -> None:
    pytest.importorskip("pygraphviz")
    drawing = svg(picture(analysed(tmp_path, PROGRAM)))
    assert drawing is not None and len(re.findall(r'class="node', drawing)) >= 8 and 'class="node possible"' in drawing.replace("unsafe", "possible")


def test_the_option_writes_a_file_and_refuses_a_missing_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    main(["numerics", str(tmp_path / "program.py"), "--html", str(tmp_path / "report.html")])
    assert (tmp_path / "report.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["program.py", "report.html"]
    capsys.readouterr()
    assert main(["numerics", str(tmp_path / "program.py"), "--html", str(tmp_path / "missing" / "report.html")]) == 2
    assert "there is no folder" in capsys.readouterr().err
