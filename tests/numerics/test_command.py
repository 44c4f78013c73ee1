"""The command `tensorproof numerics`: its exit status, its JSON, its options and its one sentence on bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tensorproof import catalogue
from tensorproof.app.explain import _pages
from tensorproof.cli.main import main

SAFE = "import torch\nx = torch.rand(8)\ny = torch.log(x + 1)\n"
UNSAFE = "import torch\nx = torch.rand(8)\ny = torch.log(x)\n"
MODULE = "import torch\nimport torch.nn as nn\n\n\nclass Net(nn.Module):\n    def forward(self, x):\n        return torch.log(x)\n"


def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], code: str, *options: str) -> tuple[int, str, str]:
    file = tmp_path / "program.py"
    file.write_text(code, encoding="utf-8")
    status = main(["numerics", str(file), *options])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_a_safe_program_has_exit_status_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, capsys, SAFE)[0] == 0


def test_a_number_that_is_drawn_and_passed_on_is_unsafe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(tmp_path, capsys, UNSAFE, "--output-format", "json")
    report = json.loads(out)
    (one,) = report["results"]
    assert (one["op"], one["line"], one["operand"]) == ("log", 3, [0, 1])
    assert status == (one["verdict"] == "unsafe")
    assert report["diagnostics"][0]["severity"] == ("error" if one["verdict"] == "unsafe" else "warning")


def test_a_range_of_the_user_decides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--entry", f"{tmp_path / 'program.py'}::Net", "--input", "x=4,5", "--output-format", "json", "--range")
    verdicts = [json.loads(run(tmp_path, capsys, MODULE, *options, text)[1])["results"][0]["verdict"] for text in ("x=1:2", "x=0:2", "x=-1:2")]
    assert verdicts[0] == "safe" and "safe" not in verdicts[1:]


def test_ranges_come_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ranges.toml").write_text("x = [1, 2]\n", encoding="utf-8")
    options = ("--entry", f"{tmp_path / 'program.py'}::Net", "--input", "x=4,5", "--output-format", "json", "--ranges", str(tmp_path / "ranges.toml"))
    assert json.loads(run(tmp_path, capsys, MODULE, *options)[1])["totals"]["safe"] == 1


def test_a_fix_is_proposed_that_is_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = json.loads(run(tmp_path, capsys, UNSAFE, "--fix", "--output-format", "json")[1])
    assert [one["edits"][0]["text"] for one in report["fixes"]] == ["y = torch.log(x.clamp(min=1e-6))"]


HALF = """import torch
q, k = torch.randn(4, 32, 64) * 8, torch.randn(4, 32, 64) * 8
scores = q @ k.transpose(-1, -2)
x = torch.randn(1024) * 20
energy = (x * x).sum()
loss = (torch.rand(32) - torch.rand(32)).abs().mean() + 1
scaled = loss * 65536.0
"""


def test_float16_overflows_where_float32_does_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    narrow = json.loads(run(tmp_path, capsys, HALF, "--dtype", "float16", "--output-format", "json")[1])
    wide = json.loads(run(tmp_path, capsys, HALF, "--output-format", "json")[1])
    assert [d["line"] for d in narrow["diagnostics"]] == [3, 5, 7]
    assert wide["diagnostics"] == []


@pytest.mark.parametrize(
    "options, sentence",
    [
        (("--range", "x=2:1"), "the lower end 2 is above the upper end 1"),
        (("--range", "x"), "does not parse"),
        (("--range", "nothing=0:1"), "no input or parameter has that name"),
        (("--dtype", "int8"), "there are float64"),
        (("--ranges", "missing.toml"), "cannot be read"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], sentence: str) -> None:
    status, _, err = run(tmp_path, capsys, SAFE, *options)
    assert status == 2 and sentence in err and err.count("\n") == 1


def test_what_was_not_understood_is_named_and_no_proof(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(tmp_path, capsys, "import torch, somelib\nx = somelib.load()\nprint(torch.log(x))\n")
    assert "somelib.load, 1 time: no model" in out
    assert out.rstrip().endswith("0 proved safe · 0 possible · 0 unsafe · 1 not analysed · 2 calls not understood")
    assert "no operation can go wrong here" in run(tmp_path, capsys, "import torch\nprint(torch.rand(8) + 1)\n")[1]


def test_what_the_time_limit_leaves_out_is_counted(tmp_path: Path) -> None:
    from tensorproof.app.numerics.report import numerics
    from tensorproof.app.program import Options
    from tensorproof.engines.numerics.inputs.ranges import Given
    from tensorproof.engines.numerics.records import Settings
    from tensorproof.reporters.numerics import summary

    file = tmp_path / "program.py"
    file.write_text(SAFE, encoding="utf-8")
    report = numerics(str(file), Options(), Settings(seconds=0.0), Given())
    every = numerics(str(file), Options(), Settings(), Given()).applied
    assert (report.finished, report.applied, report.left, report.operations) == (False, 0, every, [])
    assert f"the time limit is reached, {every} of {every} operators are not analysed" in summary(report)


def test_every_code_of_a_hazard_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    codes = {hazard.code for op in map(catalogue.find, catalogue.everything()) if op for hazard in (*op.hazards, *op.gradient_hazards)}
    for code in sorted({*codes, "matmul/overflow", "mul/undefined"}):
        assert main(["explain", code]) == 0
        assert "It is safe where" in capsys.readouterr().out
    assert {code.partition("/")[2] for code in codes} <= set(_pages()["hazards"])


def test_the_report_is_narrow_and_says_what_to_ask_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(tmp_path, capsys, MODULE, "--entry", f"{tmp_path / 'program.py'}::Net", "--input", "x=4,5")
    assert max(map(len, out.splitlines())) < 180
    assert out.rstrip().endswith("--fix proposes changes that are proved · tensorproof explain log/non-positive")


def test_open_sizes_of_the_same_number_are_one_line() -> None:
    from tensorproof.app.numerics.report import Report
    from tensorproof.reporters.numerics import full

    found = Report("program.py")
    found.sizes.update({f"number@51#{i}": 32 for i in range(200)} | {"len(rows)": 7})
    assert [line for line in full(found).splitlines() if "left open" in line] == [
        "  number@51#0, number@51#1, number@51#2, number@51#3 and 196 more = 32: sizes that are left open",
        "  len(rows) = 7: a size that is left open",
    ]


def test_an_operation_of_a_graph_is_placed_in_the_file_that_builds_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "network.py").write_text("import tensorflow as tf\n\n\ndef loss(x):\n    return tf.reduce_mean(tf.log(tf.nn.softmax(x)))\n", encoding="utf-8")
    code = "import numpy as np\nimport tensorflow as tf\nimport network\nx = tf.placeholder(tf.float32, [8, 4])\nout = network.loss(x)\n"
    code += "with tf.Session() as sess:\n    sess.run(out, feed_dict={x: np.random.rand(8, 4) * 1000})\n"
    found = json.loads(run(tmp_path, capsys, code, "--output-format", "json")[1])
    assert {(Path(d["path"]).name, d["line"]) for d in found["diagnostics"]} == {("network.py", 5)}


def test_what_the_user_leaves_out_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for code, options in ((UNSAFE, ("--ignore", "log")), (UNSAFE, ("--select", "div")), (UNSAFE.replace("(x)\n", "(x)  # tensorproof: ignore\n"), ())):
        status, out, _ = run(tmp_path, capsys, code, *options)
        assert (status, out.splitlines()[-1]) == (0, "no operation that can go wrong was found · 1 left out by --select, --ignore or a comment")


@pytest.mark.parametrize("ends, words", [(":1", '"" must be a number'), ("a:1", '"a" must be a number'), ("a:b", '"a" and "b" must be numbers')])
def test_an_end_that_is_no_number_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], ends: str, words: str) -> None:
    status, _, err = run(tmp_path, capsys, SAFE, "--range", f"x={ends}")
    assert status == 2 and words in err
