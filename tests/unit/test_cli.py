"""The command line's contract: exit status, one clear sentence on standard error, no traceback."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tensorproof as tensorproof_package
from tensorproof.app.explain import require_codes

GOOD = "import torch\nx = torch.zeros(2, 3)\ny = x @ torch.zeros(3, 4)\n"
BAD = "import torch\nx = torch.zeros(2, 3)\ny = x @ torch.zeros(2, 4)\n"


def tensorproof(*arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "tensorproof", *arguments], capture_output=True, text=True, timeout=timeout)


@pytest.fixture
def programs(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text(BAD)
    return str(tmp_path / "good.py"), str(tmp_path / "bad.py")


def test_exit_status_is_0_without_an_error_and_1_with_one(programs: tuple[str, str]) -> None:
    assert tensorproof("check", programs[0]).returncode == 0
    assert tensorproof("check", *programs).returncode == 1


def test_json_report_has_its_envelope(programs: tuple[str, str]) -> None:
    report = json.loads(tensorproof("check", "--output-format", "json", *programs).stdout)
    assert report["version"] == 1
    assert [p["verdict"] for p in report["programs"]] == ["valid", "invalid"]
    (found,) = report["diagnostics"]
    assert (found["code"], found["severity"], found["line"], found["column"], found["certainty"]) == ("matmul/inner", "error", 3, 5, "always")
    assert found["trail"][0]["line"] == 2


def test_the_full_report_shows_the_line_and_what_was_understood(programs: tuple[str, str]) -> None:
    text = tensorproof("check", programs[1]).stdout
    assert "error[matmul/inner]" in text and "^^^^" in text
    assert text.rstrip().splitlines()[-1].startswith("1 error in 1 program · 0 paths proved")


def test_unknown_fails_only_when_asked(tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text("import torch\nimport nobody_knows\nnobody_knows.f(torch.zeros(3))\n")
    assert tensorproof("check", str(file)).returncode == 0
    assert tensorproof("check", "--fail-on", "unknown", str(file)).returncode == 1


def test_ignored_codes_are_left_out(programs: tuple[str, str]) -> None:
    assert tensorproof("check", "--ignore", "matmul", programs[1]).returncode == 0
    assert tensorproof("check", "--select", "conv2d", programs[1]).returncode == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "cannot be read"), (b"x = (", "syntax error"), (b"\xff\xfe\x00x", "not Python"), (b"x = '\x00'", "null bytes")],
)
def test_bad_files_are_one_sentence(tmp_path: Path, content: bytes | None, words: str) -> None:
    file = tmp_path / "f.py"
    if content is not None:
        file.write_bytes(content)
    done = tensorproof("check", str(file))
    assert done.returncode == 2
    assert words in done.stderr and len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    "arguments", [("ops", "conv2dd"), ("check",), ("check", "--output-format", "sarif", "x.py"), ("nonsense",), ("numerics", "x"), ("check", "/nowhere")]
)
def test_bad_arguments_are_one_sentence(arguments: tuple[str, ...]) -> None:
    done = tensorproof(*arguments)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1 and "Traceback" not in done.stderr


def test_an_unknown_operator_names_the_closest() -> None:
    assert "conv2d" in tensorproof("ops", "conv2dd").stderr


def test_ops_explains_a_spelling() -> None:
    text = tensorproof("ops", "torch.nn.Conv2d").stdout
    assert "conv2d/channels" in text and "torch.nn.functional.conv2d" in text


def test_version_loads_nothing_heavy() -> None:
    code = (
        "import sys; from tensorproof.cli.main import main; main(['--version']);"
        "print([m for m in ('numpy', 'torch', 'z3', 'rich', 'click') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_checking_numbers_loads_no_solver_and_no_framework(programs: tuple[str, str]) -> None:
    code = (
        "import sys; from tensorproof.cli.main import main; main(['check', '-q', sys.argv[1]]);"
        "print([m for m in ('numpy', 'torch', 'z3', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, programs[0]], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_settings_come_from_pyproject(programs: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.tensorproof]\nignore = ["matmul"]\n')
    monkeypatch.chdir(tmp_path)
    assert tensorproof("check", programs[1]).returncode == 0
    (tmp_path / "pyproject.toml").write_text('[tool.tensorproof]\nignroe = ["matmul"]\n')
    done = tensorproof("check", programs[1])
    assert done.returncode == 2 and "ignroe" in done.stderr


def test_a_comment_suppresses_a_finding_and_an_unused_one_is_noted(tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text(BAD.replace("(2, 4)", "(2, 4)  # tensorproof: ignore[matmul/inner]"))
    assert tensorproof("check", str(file)).returncode == 0
    file.write_text(GOOD + "z = 1  # tensorproof: ignore[matmul/inner]\n")
    assert "suppresses nothing" in tensorproof("check", str(file)).stdout


def test_program_arguments_follow_two_dashes(tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text("import sys\nimport torch\nn = int(sys.argv[1])\nx = torch.zeros(n) + torch.zeros(3)\n")
    assert tensorproof("check", str(file), "--", "3").returncode == 0
    assert tensorproof("check", str(file), "--", "4").returncode == 1


def test_infer_prints_the_contract_of_a_module(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text(
        "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = nn.Linear(20, 5)\n"
        "    def forward(self, x):\n        return self.a(x.flatten(1))\n"
    )
    done = tensorproof("infer", f"{file}::Net")
    assert done.returncode == 0 and "→ (N, 5)" in done.stdout and "20" in done.stdout
    assert tensorproof("infer", f"{file}::Other").returncode == 2


def test_options_and_paths_may_stand_in_any_order(programs: tuple[str, str]) -> None:
    done = tensorproof("check", programs[0], "-q", programs[1], "--output-format=concise")
    assert done.returncode == 1 and "matmul/inner" in done.stdout


def test_the_command_line_overrides_the_settings(programs: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('[tool.tensorproof]\nignore = ["matmul"]\nfail-on = "unknown"\n')
    assert tensorproof("check", "--config", str(tmp_path / "own.toml"), programs[1]).returncode == 0
    assert tensorproof("check", f"--config={tmp_path / 'own.toml'}", "--ignore", "conv2d", programs[1]).returncode == 1
    (tmp_path / "own.toml").write_text("[tool]\ntensorproof = {ignore = ['matmul']}\n")
    assert tensorproof("check", "--config", str(tmp_path / "own.toml"), programs[1]).returncode == 0


def test_help_lists_commands_and_options() -> None:
    assert "infer" in tensorproof("--help").stdout and tensorproof("--help").returncode == 0
    done = tensorproof("check", "--help")
    assert done.returncode == 0 and "--fail-on" in done.stdout and done.stderr == ""


def test_explain_knows_the_codes_of_findings() -> None:
    assert "What to do" in tensorproof("explain", "matmul/inner").stdout
    assert tensorproof("explain", "matmul/nonsense").returncode == 2


PHOTOS = """import reader
from torch import nn
from torch.utils.data import DataLoader, Dataset
class Photos(Dataset):
    def __getitem__(self, i):
        return reader.read(i)
for x, y in DataLoader(Photos(), batch_size=8):
    nn.Linear(12, 3)(x.flatten(1))
"""


def test_data_tells_of_a_dataset(tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text(PHOTOS)
    assert tensorproof("check", "--fail-on", "unknown", str(file)).returncode == 1
    for said, status in (("Photos=80x(3,2,2),()", 0), ("Photos=(3,2,2),int64()", 0), ("Photos=?x(3,2,2),uint8(4)", 0), ("Photos=80x(3,2,3),()", 1)):
        assert tensorproof("check", "--fail-on", "unknown", "--data", said, str(file)).returncode == status, said


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Photos", "write NAME=COUNTx(SIZES)"), ("Photos=", "write NAME=COUNTx(SIZES)"), ("=8x(3)", "write NAME=COUNTx(SIZES)"), ("Photos=8x(3", "at '(3'"),
        ("Photos=8xreal(3)", "at 'real(3)'"), ("Photos=8x(3,-1)", "'-1' is neither a size nor a name"), ("Photos=8x3,4", "at '3,4'"),
        ("Pictures=8x(3)", "no class and no function of that name"),
    ],
)  # fmt: skip
def test_data_that_does_not_parse_or_fit(tmp_path: Path, said: str, words: str) -> None:
    (tmp_path / "f.py").write_text(PHOTOS)
    done = tensorproof("check", "--data", said, str(tmp_path / "f.py"))
    assert done.returncode == 2 and words in done.stderr and len(done.stderr.strip().splitlines()) == 1


def test_vary_tries_every_value(tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text("import argparse, torch\np = argparse.ArgumentParser()\np.add_argument('--batch-size', type=int, default=4)\n"
                    "torch.zeros(p.parse_args().batch_size, 8).view(4, 8)\n")  # fmt: skip
    assert "batch_size must be 4" in tensorproof("check", "--vary", "batch-size", str(file)).stdout
    assert tensorproof("check", "--fail-on", "warning", str(file)).returncode == 0
    assert tensorproof("check", "--fail-on", "warning", "--vary", "batch_size", str(file)).returncode == 1
    done = tensorproof("check", "--vary", "batch", str(file))
    assert done.returncode == 2 and "--vary batch: there is no command-line argument" in done.stderr


def test_options_of_a_later_time_say_so(programs: tuple[str, str]) -> None:
    for option in ("--checkpoint",):
        done = tensorproof("check", option, "x", programs[0])
        assert done.returncode == 2 and f"the option {option} is not built yet" in done.stderr


@pytest.mark.parametrize("command", ["check", "numerics"])
@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_a_misspelt_code_is_refused(command: str, option: str, programs: tuple[str, str]) -> None:
    done = tensorproof(command, option, "matmull/inner", programs[1])
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "there is no code matmull/inner; the closest are matmul" in done.stderr
    assert tensorproof(command, option, "matmul/", programs[0]).returncode == 0


def test_every_code_in_the_source_can_be_selected() -> None:
    """Codes of requirements and of Python are written out where they are stated."""
    written = re.compile(r'(?:require|required|fail|failed|refuse|Requirement|Diagnostic|code=)\(?\s*"([a-z_0-9]+/[a-z-]+)"')
    texts = (path.read_text(encoding="utf-8") for path in sorted(Path(tensorproof_package.__file__).parent.rglob("*.py")))
    found = sorted({code for text in texts for code in written.findall(text)})
    assert len(found) > 90
    require_codes(found)


def test_a_saved_graph_is_read_without_the_front_end_of_programs(tmp_path: Path) -> None:
    """The abstract interpreter takes longer to load than the analysis of a small graph."""
    file = tmp_path / "graph.pbtxt"
    file.write_text('node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }\nnode { name: "y" op: "Log" input: "x" }\n')
    script = (
        "import sys; from tensorproof.cli.main import main\n"
        f"try:\n    main(['numerics', {str(file)!r}, '--quiet'])\nexcept SystemExit:\n    pass\n"
        "print('loaded:', [m for m in sys.modules if m.startswith('tensorproof.frontends.python')])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("loaded: []"), done.stdout
