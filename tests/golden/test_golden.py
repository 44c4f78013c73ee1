"""The printed finding of the commonest codes, as snapshots: a change of words is a change of these files.

Each example of app/examples.toml is checked as `tensorproof check` checks it; `tests/golden/FAMILY.md` holds the program and what is printed.
`python -m tests.golden.test_golden` writes the files again.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tensorproof.app.check import check_source, label_symbols
from tensorproof.app.explain import _pages, example_of, examples, explain
from tensorproof.app.program import Options, Program
from tensorproof.diagnostics.diagnostic import Verdict
from tensorproof.frontends.python.modules.source import parse
from tensorproof.reporters import text

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src" / "tensorproof"
FAMILIES = {
    "python": ("python", "call"), "keras": ("keras", "sample_loss", "recurrent_layer"), "einops": ("einops",),
    "tensorflow": (
        "assign", "feed", "gather_slices", "graph", "function", "session", "optimizer", "estimator", "feature_column", "variable", "tf", "tape", "cond",
        "map_fn", "while_loop", "lookup", "nest", "placeholder", "queue", "rnn", "cell", "gradient", "shape", "set_shape", "constant", "sparse",
        "strings_join", "summary", "scatter", "decode_csv",
    ),
    "training": (
        "backward", "inplace", "numpy", "device", "module", "checkpoint", "data", "suspect", "optim", "lightning", "autograd", "requires_grad", "inference",
        "autocast", "vmap", "distribution", "transform", "image",
    ),
    "losses": ("cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss"),
    "layers": ("linear", "conv1d", "conv2d", "max_pool2d", "batch_norm", "layer_norm", "lstm", "gru", "embedding"),
}  # fmt: skip
"""The files, by the first words of the codes in them; other codes are in operators.md."""


def family(code: str) -> str:
    return next((name for name, words in FAMILIES.items() if code.partition("/")[0] in words), "operators")


@cache
def checked(program: str) -> Program:
    found = check_source(parse("program.py", program.lstrip()), Options())
    label_symbols(found)
    return found


def pages() -> dict[str, str]:
    """The files as they should be."""
    made: dict[str, list[str]] = {}
    for code, shown in examples().items():
        printed = text.full([checked(shown["wrong"])], quiet=True)
        made.setdefault(family(code), []).append(f"## {code}\n\n```python\n{shown['wrong'].strip()}\n```\n\n```text\n{printed}\n```\n")
    head = "# Findings as they are printed: {}\n\nWritten by `python -m tests.golden.test_golden` from app/examples.toml.\n\n"
    return {name: head.format(name) + "\n".join(blocks) for name, blocks in made.items()}


@pytest.mark.parametrize("code", examples())
def test_the_wrong_example_has_its_finding_and_the_right_one_has_none(code: str) -> None:
    assert [d.code for d in checked(examples()[code]["wrong"]).diagnostics] == [code]
    right = checked(examples()[code]["right"])
    assert (right.verdict, right.diagnostics) == (Verdict.VALID, [])


@pytest.mark.parametrize("code", examples())
def test_a_page_shows_its_example(code: str) -> None:
    page = explain(code)
    assert "What to do:" in page and "Wrong:" in page and "Right:" in page
    assert examples()[code]["right"].strip().splitlines()[-1] in page


def written_codes() -> set[str]:
    """The codes that our source passes as a whole to the functions that make findings."""
    found: set[str] = set()
    for path in (file for part in ("frontends", "libraries", "bindings") for file in (SOURCE / part).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("raised", "require", "warn", "refuse"):
                values = [a.value for a in (*node.args, *(k.value for k in node.keywords)) if isinstance(a, ast.Constant) and isinstance(a.value, str)]
                found.update(value for value in values if re.fullmatch(r"[a-z_][a-z0-9_]*/[a-z][a-z0-9_-]*", value))
    return found


def test_every_code_that_is_written_has_a_page() -> None:
    codes = written_codes()
    assert len(codes) > 250
    for code in codes:
        assert "What to do:" in explain(code)


NO_EXAMPLE = {
    "python/syntax", "file/unreadable", "internal/failure",  # of files, not of programs
    "graph/declared",  # of saved models
    "constant/ragged", "data/end",  # where an element of a list is a tensor of another length; where a program waits for the end
    "rank/uses",  # of long programs alone
}  # fmt: skip


def test_every_code_has_an_example() -> None:
    """Its own, or that of a code with the same requirement."""
    codes = {*_pages()["codes"], *written_codes()}
    assert {code for code in codes if not example_of(code)} <= NO_EXAMPLE


def test_findings_are_printed_as_they_were() -> None:
    for name, page in pages().items():
        assert (HERE / f"{name}.md").read_text(encoding="utf-8") == page, f"{name}.md is old: run python -m tests.golden.test_golden and read the difference"


def test_messages_speak_in_the_names_of_the_program() -> None:
    """No message of an example calls an argument by the operator's own name where the program has another."""
    for code, shown in examples().items():
        written = set(re.findall(r"[A-Za-z_]\w*", shown["wrong"]))
        for found in checked(shown["wrong"]).diagnostics:
            assert not ({"x", "y", "xs"} - written) & set(re.findall(r"(?<![\w.'])[A-Za-z_]\w*", found.message)), (code, found.message)


if __name__ == "__main__":
    for name, page in pages().items():
        (HERE / f"{name}.md").write_text(page, encoding="utf-8")
