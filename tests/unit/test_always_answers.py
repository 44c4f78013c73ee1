"""A run always answers: each bad file costs itself alone, work is limited, and what is printed for a file does not depend on others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import pytest

from tensorproof.app import check as use_case
from tensorproof.app.check import check, check_source
from tensorproof.app.program import Options
from tensorproof.cli.main import main
from tensorproof.diagnostics.diagnostic import Verdict
from tensorproof.frontends.python.modules.source import parse
from tensorproof.reporters import text
from tensorproof.solve import limits
from tensorproof.solve.limits import Limit, OutOfBudget, limited

WRONG = "import torch\ntorch.zeros(2, 3) @ torch.zeros(4, 5)\n"
RIGHT = "import torch\nprint((torch.zeros(2, 3) @ torch.zeros(3, 5)).shape)\n"
ENDLESS = "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(60))\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_bad_file_of_a_folder_costs_itself_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "wrong.py").write_text(WRONG)
    (folder / "right.py").write_text(RIGHT)
    (folder / "syntax.py").write_text("x = (\n")
    (folder / "python2.py").write_text("print 'hello'\n")
    (folder / "nul.py").write_bytes(b"x = 1\0\n")
    (folder / "bytes.py").write_bytes(b"\xff\xfe\x00")
    (folder / "latin.py").write_bytes(b"x = 1\ny = '\xe9'\n")
    (folder / "large.py").write_bytes(b"x = 1\n" * 1_000_000)
    (folder / "nested.py").write_text("x = " + "[" * 10_000 + "]" * 10_000)
    (folder / "dangling.py").symlink_to("nowhere")
    (folder / "loop.py").symlink_to("loop.py")
    (folder / "inside").symlink_to(".")
    os.mkfifo(folder / "pipe.py")
    assert main(["check", ".", "--output-format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    codes = {d["path"].removeprefix("./"): d["code"] for d in found["diagnostics"]}
    syntax, unreadable = "python/syntax", "file/unreadable"
    assert codes == {
        "wrong.py": "matmul/inner", "syntax.py": syntax, "python2.py": syntax, "nul.py": syntax, "nested.py": syntax, "bytes.py": unreadable,
        "latin.py": unreadable, "large.py": unreadable, "dangling.py": unreadable, "loop.py": unreadable, "pipe.py": unreadable,
    }  # fmt: skip
    assert {p["path"].removeprefix("./"): p["verdict"] for p in found["programs"]}["right.py"] == "valid"
    assert next(d["line"] for d in found["diagnostics"] if d["path"].endswith("latin.py")) == 2


@pytest.mark.parametrize("data", [b"x = (\n", b"\xff\xfe\x00", b"x = 1\0"])
def test_a_single_file_that_cannot_be_read_is_exit_status_2(folder: Path, capsys: pytest.CaptureFixture[str], data: bytes) -> None:
    (folder / "one.py").write_bytes(data)
    assert main(["check", "one.py"]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.startswith("tensorproof: one.py") and shown.err.count("\n") == 1
    (folder / "two.py").write_text(RIGHT)
    assert main(["check", "one.py", "two.py"]) == 1


def test_a_failure_of_ours_costs_its_file_alone(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (folder / name).write_text(WRONG)
    real = use_case.explore

    def failing(source: object, *rest: object) -> object:
        if source.path.endswith("b.py"):  # type: ignore[attr-defined]
            raise MemoryError
        return real(source, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(use_case, "explore", failing)
    assert main(["check", ".", "--output-format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [d["code"] for d in found["diagnostics"]] == ["matmul/inner", "internal/failure", "matmul/inner"]
    assert [p["verdict"] for p in found["programs"]] == ["invalid", "unknown", "invalid"]
    assert main(["check", "b.py"]) == 2


def test_a_syntax_error_in_an_imported_file_is_found_at_its_line(folder: Path) -> None:
    (folder / "main.py").write_text("import torch\nimport part\nprint(torch.zeros(2).shape)\n")
    (folder / "part.py").write_text("x = 1\ny = (2\n")
    found = check(["main.py"])[0]
    assert [(d.code, d.span.path, d.span.line) for d in found.diagnostics] == [("python/syntax", "part.py", 2)]
    assert found.verdict is Verdict.INVALID
    (folder / "main.py").write_text("try:\n    import part\nexcept SyntaxError:\n    part = None\n")
    assert check(["main.py"])[0].diagnostics == []


def test_the_limit_ends_a_program_and_keeps_what_was_found() -> None:
    given = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int, required=True)\nn = p.parse_args().n\n"
    found = check_source(parse("p.py", f"{given}import torch\nx = torch.zeros(2, 3)\nif n > 3:\n    x @ x\n{ENDLESS}"), Options(time_limit=0.5))
    assert [d.code for d in found.diagnostics] == ["matmul/inner"] and found.verdict is Verdict.INVALID
    assert any("time limit of 0.5 s is reached" in g.reason and "at line" in g.reason for g in found.gaps)
    assert check_source(parse("p.py", ENDLESS), Options(time_limit=0.5)).verdict is Verdict.UNKNOWN


def test_the_limit_is_one_of_work() -> None:
    """A program ends at the same step however long its steps take."""
    runs = [check_source(parse("p.py", ENDLESS), Options(time_limit=0.3)).gaps for _ in range(2)]
    assert runs[0] == runs[1] and "3,000 steps" in runs[0][0].reason


def test_an_expired_clock_ends_the_run_at_its_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    class Late(Limit):
        def __init__(self, seconds: float) -> None:
            super().__init__(seconds)
            self.expired = True

    monkeypatch.setattr(limits, "Limit", Late)
    found = check_source(parse("p.py", RIGHT))
    assert found.verdict is Verdict.UNKNOWN and "time limit of 20 s is reached" in found.gaps[0].reason


def test_no_handler_of_exceptions_swallows_the_limit() -> None:
    assert not issubclass(OutOfBudget, Exception)
    with limited(1) as limit, pytest.raises(OutOfBudget):
        for _ in range(3):
            limit.tick(0, None)


def test_the_limit_is_an_option_and_a_setting(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.py").write_text(ENDLESS)
    main(["check", "p.py", "-v", "--time-limit", "0.2"])
    assert "time limit of 0.2 s is reached, counted as 2,000 steps" in capsys.readouterr().out
    (folder / "pyproject.toml").write_text("[tool.tensorproof]\ntime-limit = 0.4\n")
    main(["check", "p.py", "-v"])
    assert "time limit of 0.4 s is reached" in capsys.readouterr().out
    for wrong in ("0", "-1", "soon", "nan"):
        assert main(["check", "p.py", f"--time-limit={wrong}"]) == 2
    (folder / "pyproject.toml").write_text('[tool.tensorproof]\ntime-limit = "long"\n')
    assert main(["check", "p.py"]) == 2


def test_findings_are_printed_as_files_end(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.py", "b.py"):
        (folder / name).write_text(WRONG)
    real = use_case.explore

    def interrupted(source: object, *rest: object) -> object:
        if source.path.endswith("b.py"):  # type: ignore[attr-defined]
            raise KeyboardInterrupt
        return real(source, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(use_case, "explore", interrupted)
    assert main(["check", "."]) == 2
    shown = capsys.readouterr()
    assert "a.py:2:1: error[matmul/inner]" in shown.out and shown.err == "tensorproof: interrupted\n"
    assert main(["check", ".", "--output-format", "json"]) == 2
    assert [p["path"] for p in json.loads(capsys.readouterr().out)["programs"]] == ["./a.py"]


PROGRAMS = {
    "a.py": "import torch, argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\np.add_argument('--m', type=int)\no = p.parse_args()\n"
    "torch.zeros(o.n, o.m * o.n + o.m) @ torch.zeros(o.m + 2, o.n)\n",
    "b.py": "import torch\nm, n = int(input()), int(input())\nx = torch.zeros(m * n, n + m)\nif m > n:\n    x = x.reshape(n, -1)\n"
    "x @ torch.zeros(3 * m + n, 4)\n",
    "c.py": "import torch\nclass Net(torch.nn.Module):\n    def __init__(self, m: int, n: int):\n        super().__init__()\n"
    "        self.a = torch.nn.Linear(m, n)\n        self.b = torch.nn.Linear(m + n, m)\n    def forward(self, x):\n"
    "        return self.b(torch.cat([x, self.a(x)], 1)) + x\n",
    "d.py": WRONG,
}  # fmt: skip


def test_what_is_printed_for_a_file_does_not_depend_on_the_files_before_it(folder: Path) -> None:
    for name, words in PROGRAMS.items():
        (folder / name).write_text(words)
    alone = {name: text.full_of(check([name])[0], verbose=True) for name in PROGRAMS}
    for order in permutations(PROGRAMS):
        assert {p.path: text.full_of(p, verbose=True) for p in check(list(order))} == alone


def test_what_is_printed_does_not_depend_on_the_hash_seed(folder: Path) -> None:
    for name, words in PROGRAMS.items():
        (folder / name).write_text(words)
    command = [sys.executable, "-m", "tensorproof", "check", ".", "-v"]
    shown = {subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed}, timeout=120).stdout for seed in ("0", "1", "77")}
    assert len(shown) == 1


def test_a_file_beside_the_program_is_not_imported_by_us(folder: Path) -> None:
    (folder / "p.py").write_text(WRONG)
    for name in ("random", "json", "z3", "numpy", "argparse", "tomllib"):
        (folder / f"{name}.py").write_text("open('ran', 'w')\nraise SystemExit(0)\n")
    done = subprocess.run([sys.executable, "-m", "tensorproof", "check", "p.py"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and "matmul/inner" in done.stdout and not (folder / "ran").exists()
