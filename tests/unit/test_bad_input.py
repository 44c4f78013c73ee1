"""What the command cannot work with: one clear sentence on standard error, the exit status 2, no traceback, in little time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.test_cli import GOOD, tensorproof

FAILS = "import torch\ntorch.zeros(2) + torch.zeros(3)\n"


def refused(*arguments: str, status: int = 2) -> str:
    done = tensorproof(*arguments, timeout=20)
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr and "internal error" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1 and done.stdout == ""
    return done.stderr.removeprefix("tensorproof: ").strip()


def found(folder: Path, files: dict[str, str], main: str = "main.py", arguments: Sequence[str] = ()) -> str:
    for name, text in files.items():
        (folder / name).write_text(text)
    return tensorproof("check", "-q", "--output-format", "concise", str(folder / main), *(["--", *arguments] if arguments else []), timeout=20).stdout


# --- files ---


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"import torch\n\ndef f(:\n    pass\n", ":3:7: syntax error: invalid syntax"),
        (b"import torch\n  x = 1\n", ":2:2: syntax error: unexpected indent"),
        (b"x = (1,\n", ":1:5: syntax error: '(' was never closed"),
        (b"print 'hello'\n", ":1:1: syntax error: Missing parentheses"),
        (b"x = 1\ny = 2\nz = '\xff\xfe'\n", ":3 is not Python: its bytes cannot be decoded as utf-8"),
        ("import torch\n".encode("utf-16"), "is not Python: its bytes cannot be decoded as text"),
        (b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)), "is not Python"),
        (b"x = 1\x00\n", "null bytes"),
        (b"# -*- coding: klingon -*-\nx = 1\n", "it declares the encoding klingon, which is not known"),
        (b"x = " + b"(" * 5000 + b"1" + b")" * 5000, "too many nested parentheses"),
        (b"x = " + b"1+" * 20000 + b"1\n", "nests too deeply"),
        (b"x = " + b"-" * 5000 + b"1\n", "nests too deeply"),
        (b"f = " + b"lambda: " * 3000 + b"1\n", "nests too deeply"),
        (b"x = 1\n" * 1_700_000, "is too large to check: it has 10,200,000 bytes"),
        (b"x = '" + b"a" * 10_000_000 + b"'\n", "is too large to check"),
    ],
    ids=lambda v: v[-30:] if isinstance(v, str) else "",
)
def test_a_file_that_is_not_python(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "f.py").write_bytes(content)
    sentence = refused("check", str(tmp_path / "f.py"))
    assert words in sentence and "f.py" in sentence
    assert words in refused("infer", str(tmp_path / "f.py"))


def test_a_missing_file_or_folder(tmp_path: Path) -> None:
    assert "no such file" in refused("check", str(tmp_path / "nothing.py"))
    assert "no such file" in refused("check", str(tmp_path / "nothing"))
    assert "cannot be read" in refused("check", "a" * 5000 + ".py")
    assert "is a directory" in refused("infer", str(tmp_path))


def test_an_unreadable_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorproof.app.check import files
    from tensorproof.diagnostics.errors import BadInput

    (tmp_path / "inner").mkdir()
    (tmp_path / "a.py").write_text(GOOD)
    real = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("inner"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)  # root may read everything
    with pytest.raises(BadInput, match="inner cannot be read: permission denied"):
        files([str(tmp_path)])


def test_a_folder_without_python(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    assert "holds no Python file" in refused("check", str(tmp_path))


def test_a_folder_stands_for_its_files(tmp_path: Path) -> None:
    for name, text in {"a.py": GOOD, "b/c.py": FAILS, ".hidden/d.py": "(", "env/pyvenv.cfg": "", "env/e.py": "(", "f.txt": "("}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    done = tensorproof("check", "--output-format", "concise", str(tmp_path))
    assert done.returncode == 1 and "c.py:2:1" in done.stdout and "in 2 programs" in done.stdout
    (tmp_path / "b" / "wrong.py").write_text("x = (")
    done = tensorproof("check", "--output-format", "concise", str(tmp_path))
    assert done.returncode == 1 and "wrong.py:1:5: error[python/syntax]" in done.stdout and "c.py:2:1" in done.stdout


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + FAILS.encode(),
        b"# -*- coding: latin-1 -*-\nw = '\xe9'\n" + FAILS.encode(),
        FAILS.replace("\n", "\r\n").encode(),
        FAILS.replace("\n", "\r").encode(),
        ("# é ü 中\n" + FAILS).encode(),
        FAILS.rstrip().encode(),
    ],
    ids=["a mark of utf-8", "a declared encoding", "Windows lines", "old Mac lines", "letters", "no last line end"],
)
def test_text_as_editors_write_it(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "f.py").write_bytes(content)
    done = tensorproof("check", "--output-format", "concise", str(tmp_path / "f.py"))
    line = len(content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").rstrip().split(b"\n"))
    assert done.returncode == 1 and f"f.py:{line}:1: error[add/broadcast]" in done.stdout


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n", '"""Nothing."""\n'])
def test_an_empty_file_has_no_error(tmp_path: Path, content: str) -> None:
    (tmp_path / "f.py").write_text(content)
    assert tensorproof("check", str(tmp_path / "f.py")).returncode == 0


# --- options ---


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("x", "write NAME=SHAPE"), ("=3", "write NAME=SHAPE"), ("x=3,-1", "'-1' is neither a size nor a name"), ("x=3.5", "neither a size"),
        ("x=float99:3", "write NAME=SHAPE"), ("x=(3,4", "brackets"), ("x=3,,4", "a size is missing"), ("x y=3", "write NAME=SHAPE"),
    ],
)  # fmt: skip
def test_an_input_that_does_not_parse(tmp_path: Path, given: str, words: str) -> None:
    (tmp_path / "f.py").write_text(GOOD)
    for command in ("check", "infer"):
        sentence = refused(command, str(tmp_path / "f.py"), "--input", given)
        assert f"--input {given} does not parse" in sentence and words in sentence


def test_an_unknown_entry(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("import torch.nn as nn\nclass Network(nn.Module):\n    def forward(self, x):\n        return x\n")
    file = str(tmp_path / "f.py")
    assert "defines no module named Netwrok; it defines Network" in refused("check", "--entry", f"{file}::Netwrok")
    assert "defines no module named Other" in refused("infer", f"{file}::Other")
    assert "takes an input y; they take x" in refused("check", file, "--input", "y=3")
    assert "write FILE.py::Name" in refused("check", "--entry", "Network", file)
    assert "no such file" in refused("check", "--entry", f"{tmp_path}/g.py::Network")


def test_arguments_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text(GOOD)
    file = str(tmp_path / "f.py")
    assert "unrecognized arguments: --zip" in refused("check", "--zip", file)
    assert "invalid choice: 'always'" in refused("check", "--fail-on", "always", file)
    assert "expected one argument" in refused("check", file, "--entry")
    assert "is not a Python environment" in refused("check", "--python", str(tmp_path), file)
    assert "no such file" in refused("check", "--config", str(tmp_path / "none.toml"), file)
    assert "there is no command chekc" in refused("chekc", file)
    assert "needs a Python file" in refused("check")
    assert "exactly one program, 2 are given" in refused("check", file, __file__, "--", "1")


# --- programs ---


def test_imports_in_a_circle_are_python_s(tmp_path: Path) -> None:
    use = "import torch\nimport one\ntorch.zeros(one.f()) + torch.zeros(3)\n"
    fine = {"main.py": use, "one.py": "import two\nN = 2\ndef f():\n    return two.g()\n", "two.py": "import one\ndef g():\n    return one.N\n"}
    assert "main.py:3:1: error[add/broadcast]: torch.zeros(one.f()) and torch.zeros(3) do not broadcast: sizes 2 and 3" in found(tmp_path, fine)
    names = found(tmp_path, {**fine, "two.py": "from one import N\n"})
    assert "two.py:1:1: error[python/import]: N cannot be imported from one: the imports go in a circle" in names
    early = found(tmp_path, {**fine, "two.py": "import one\nM = one.N\n"})
    assert "two.py:2:5: error[python/attribute]: the module one has no attribute N: the imports go in a circle" in early
    itself = found(tmp_path, {"main.py": "import main\nimport torch\nif __name__ == '__main__':\n    torch.zeros(2) + torch.zeros(3)\n"})
    assert "main.py:4:5: error[add/broadcast]" in itself


def test_a_module_that_failed_runs_again_at_its_next_import(tmp_path: Path) -> None:
    text = "import torch\nfor i in range(2):\n    try:\n        import one\n    except ImportError:\n        one = i\ntorch.zeros(one) + torch.zeros(3)\n"
    files = {"main.py": text.replace("torch.zeros(one)", "torch.zeros(one + 1)"), "one.py": "import os\nraise ImportError('no')\n"}
    assert "sizes 2 and 3" in found(tmp_path, files)


@pytest.mark.parametrize(
    "body",
    [
        "def f(n):\n    return f(n + 1)\nf(0)\n", "def f(n):\n    return sorted([n], key=lambda v: f(v))\nf(0)\n",
        "class A:\n    def __getattr__(self, n):\n        return getattr(self, n)\nA().x\n",
        "class A:\n    def __eq__(self, o):\n        return self in [o]\nA() == A()\n",
        "class A(torch.nn.Module):\n    def forward(self, x):\n        return self(x)\nA()(torch.zeros(1))\n",
    ],
)  # fmt: skip
def test_a_recursion_without_end_is_python_s_error(tmp_path: Path, body: str) -> None:
    assert "error[python/recursion]" in found(tmp_path, {"main.py": "import torch\n" + body})
    *lines, last = body.splitlines()
    caught = "\n".join(["import torch", *lines, "try:", "    " + last, "except RecursionError:", "    torch.zeros(2) + torch.zeros(3)"])
    assert "error[add/broadcast]" in found(tmp_path, {"main.py": caught})


def test_a_deep_recursion_ends_as_python_s_does(tmp_path: Path) -> None:
    text = "import sys\nimport torch\ndef f(n):\n    return 0 if n == 0 else 1 + f(n - 1)\ntorch.zeros(f(700)) + torch.zeros(3)\n"
    assert "sizes 700 and 3" in found(tmp_path, {"main.py": text})
    assert "python/recursion" in found(tmp_path, {"main.py": text.replace("def f", "sys.setrecursionlimit(300)\ndef f")})
    assert found(tmp_path, {"main.py": text.replace("700", "3000").replace("def f", "sys.setrecursionlimit(5000)\ndef f")}).strip() == ""


def test_a_recursion_on_what_is_not_known_ends(tmp_path: Path) -> None:
    text = "import random\nimport torch\ndef f(x):\n    if random.random() > 0.5:\n        return f(x + 1)\n    return f(x - 1)\nf(torch.zeros(3))\n"
    assert found(tmp_path, {"main.py": text}).strip() == ""


def test_text_that_nests_as_deeply_as_python_lets(tmp_path: Path) -> None:
    chain = "import torch\nx = 3\nif x == 0:\n    pass\n" + "".join(f"elif x == -{i}:\n    pass\n" for i in range(1, 900))
    assert "sizes 3 and 2" in found(tmp_path, {"main.py": chain + "torch.zeros(x) + torch.zeros(2)\n"})
    calls = "import torch\nx = torch.zeros(3)" + ".relu()" * 700 + "\nx + torch.zeros(2)\n"
    assert "sizes 3 and 2" in found(tmp_path, {"main.py": calls})


PARSERS = {
    "argparse": """
import argparse, torch
p = argparse.ArgumentParser()
p.add_argument("data")
p.add_argument("--batch", type=int, default=4)
p.add_argument("--kind", choices=["a", "b"])
args = p.parse_args()
if args.batch < 0:
    p.error("the batch must not be negative")
torch.zeros(args.batch) + torch.zeros(4)
""",
    "click": """
import click, torch
@click.command()
@click.option("--batch", type=int, default=4)
@click.option("--kind", type=click.Choice(["a", "b"]))
@click.argument("data")
def main(batch, kind, data):
    torch.zeros(batch) + torch.zeros(4)
main()
""",
    "fire": """
import fire, torch
def main(data, batch=4, *, kind="a"):
    torch.zeros(batch) + torch.zeros(4)
fire.Fire(main)
""",
    "absl": """
from absl import app, flags
import torch
FLAGS = flags.FLAGS
flags.DEFINE_integer("batch", 4, "how many")
flags.DEFINE_enum("kind", "a", ["a", "b"], "which")
def main(argv):
    torch.zeros(FLAGS.batch) + torch.zeros(4)
app.run(main)
""",
}


@pytest.mark.parametrize(
    ("library", "line", "says"),
    [
        ("argparse", "d --batch x", "argument --batch: invalid int value: 'x'"),
        ("argparse", "--batch 4", "the following arguments are required: data"),
        ("argparse", "d --size 4", "unrecognized arguments: --size 4"),
        ("argparse", "d --kind c", "argument --kind: invalid choice: 'c' (choose from"),
        ("argparse", "d --batch", "argument --batch: expected one argument"),
        ("argparse", "d --batch -1", "the batch must not be negative"),
        ("argparse", "--help", "the program prints its help and ends"),
        ("click", "d --batch x", "Invalid value for '--batch': 'x' is not a valid integer."),
        ("click", "--batch 4", "Missing argument 'DATA'."),
        ("click", "d --size 4", "No such option: --size"),
        ("click", "d --kind c", "Invalid value for '--kind': 'c' is not one of 'a', 'b'."),
        ("click", "d --batch", "Option '--batch' requires an argument."),
        ("fire", "d --size 4", "Could not consume arg: --size"),
        ("fire", "--batch 4", "The function received no value for the required argument: data"),
        ("fire", "d 4 5", "Could not consume arg: 5"),
        ("absl", "--batch=x", "flag --batch=x"),
        ("absl", "--size=4", "Unknown command line flag 'size'"),
        ("absl", "--kind=c", "flag --kind=c: value should be one of <a|b>"),
    ],
)
def test_arguments_that_the_program_refuses(tmp_path: Path, library: str, line: str, says: str) -> None:
    (tmp_path / "main.py").write_text(PARSERS[library])
    sentence = refused("check", str(tmp_path / "main.py"), "--", *line.split())
    assert "main.py: the program" in sentence and says in sentence


@pytest.mark.parametrize("library", PARSERS)
def test_arguments_that_the_program_takes(tmp_path: Path, library: str) -> None:
    for number, error in (("4", False), ("3", True)):
        line = ["d", "--batch", number] if library != "absl" else [f"--batch={number}", "d"]
        assert ("error[add/broadcast]" in found(tmp_path, {"main.py": PARSERS[library]}, arguments=line)) is error


def test_a_refusal_inside_the_program_is_its_error(tmp_path: Path) -> None:
    text = PARSERS["argparse"].replace("p.parse_args()", "p.parse_args(['--size', '4'])")
    assert "error[python/arguments]" in found(tmp_path, {"main.py": text})
