"""Nothing of a checked program reaches the host: every builtin and every function that runs as it is, with hostile arguments."""

from __future__ import annotations

import builtins
import math
import operator
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from tensorproof.app.check import check_source
from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.modules.source import parse
from tensorproof.frontends.python.operators import host_calls
from tensorproof.libraries import registry
from tensorproof.libraries.python import texts

HOSTILE = (
    "10**9", "-10**9", "10**18", "2**4000", "'x' * 1000", "b'y' * 1000", "range(10**12)", "range(0, 10**15, 7)", "1.5", "1e308", "None", "(1, 2)", "[3, 'a']",
    "{'a': 1}", "'{:1000000000}'", "'%1000000000d'", "'1e1000000000'", "complex(1, 2)", "True",
)  # fmt: skip
END = "\nimport torch\ntorch.zeros(2, 3) @ torch.zeros(4, 5)\n"
"""Follows every hostile call: what stands behind it is still checked."""


@pytest.fixture(autouse=True)
def no_host(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Whatever would read, print, exit or start something fails the test."""

    def forbidden(*args: object, **kwargs: object) -> None:
        raise AssertionError("the program reached the host")

    class Closed:
        def __getattr__(self, name: str) -> object:
            raise AssertionError("the program read standard input")

    monkeypatch.setattr(sys, "stdin", Closed())
    for owner, name in ((os, "system"), (sys, "breakpointhook"), (os, "remove"), (os, "mkdir")):
        monkeypatch.setattr(owner, name, forbidden)
    yield
    shown = capfd.readouterr()
    assert (shown.out, shown.err) == ("", "")


def codes(text: str) -> list[str]:
    return [d.code for d in check_source(parse("hostile.py", text)).diagnostics]


def guarded(calls: list[str]) -> str:
    return "".join(f"try:\n    {call}\nexcept BaseException:\n    pass\n" for call in calls) + END


def calls_of(spelled: str) -> list[str]:
    one = [f"{spelled}({a})" for a in ("", *HOSTILE)]
    pairs = [(a, b) for i, (a, b) in enumerate(product(HOSTILE, repeat=2)) if i % 7 == len(spelled) % 7]
    return [*one, *(f"{spelled}({a}, {b})" for a, b in pairs), f"{spelled}(10**9, 10**9, 10**9)", f"{spelled}(2, 10**8, 10**50)"]


ALL_BUILTINS = sorted(name for name in dir(builtins) if not name.startswith("_") and callable(getattr(builtins, name)))
NATIVE = sorted(
    f"{'operator' if module is operator else 'math'}.{name}"
    for module in (math, operator)
    for name in dir(module)
    if not name.startswith("_") and callable(getattr(module, name))
)
METHODS = [f"{owner}.{name}" for owner in ("'ab\\t'", "b'ab\\t'", "(7)", "(1.5)", "range(10**12)", "(1, 2)") for name in dir(eval(owner)) if name[0] != "_"]


@pytest.mark.parametrize("name", [n for n in ALL_BUILTINS if n not in ("exit", "quit")])
def test_a_builtin_with_hostile_arguments(name: str) -> None:
    explore(parse("hostile.py", guarded(calls_of(name))))


@pytest.mark.parametrize("several", [METHODS[i::12] for i in range(12)], ids=lambda s: s[0])
def test_methods_of_plain_values_with_hostile_arguments(several: list[str]) -> None:
    for name in several:
        explore(parse("hostile.py", guarded(calls_of(name)[::3])))


@pytest.mark.parametrize("several", [NATIVE[i::8] for i in range(8)], ids=lambda s: s[0])
def test_functions_of_math_and_operator_with_hostile_arguments(several: list[str]) -> None:
    for name in several:
        explore(parse("hostile.py", "import math, operator\n" + guarded(calls_of(name)[::2])))


@pytest.mark.parametrize("sign", ["+", "-", "*", "**", "//", "%", "<<", ">>", "/", "&", "|", "^", "in", "=="])
def test_operators_with_hostile_operands(sign: str) -> None:
    explore(parse("hostile.py", guarded([f"{a} {sign} {b}" for a, b in product(HOSTILE, repeat=2)])))


@pytest.mark.parametrize("end", ["exit()", "quit(0)", "exit(1)", "import sys\nsys.exit()", "import os\nos._exit(3)", "raise SystemExit"])
def test_an_exit_ends_the_program_and_not_the_analysis(end: str) -> None:
    fails = any(number in end for number in "13")  # a status that is not 0 is a failure
    assert codes(f"{end}\n{END}") == ["python/not-reached", *(["python/raise"] if fails else [])]
    assert codes(f"def leave():\n    {end.partition(chr(10))[2] or end}\nimport os, sys\n{END}") == ["matmul/inner"]


@pytest.mark.parametrize("call", [
    "breakpoint()", "help(int)", "license()", "credits()", "copyright()", "input('?')", "10**10**8", "'x' * 10**9", "[0] * 20_000_000", "1 << 10**10",
    "list(range(10**12))", "'{:>1000000000}'.format(1)", "'%*d' % (10**9, 1)", "f'{3:1000000000}'", "'x'.ljust(10**10)", "bytes(10**11)", "round(7, -10**9)",
    "1.5 in range(10**15)", "eval('1')", "exec('x = 1')", "compile('1', 'a', 'eval')", "__import__('os').system('true')", "print('hello')",
    "().__class__.__base__.__subclasses__()", "int.__subclasses__()", "(2).__pow__(10**9)", "str.__mul__('x', 10**9)",
    "'a'.replace('', 'b' * 10**6).replace('b', 'c' * 10**6)",
])  # fmt: skip
def test_what_stands_behind_a_hostile_call_is_checked(call: str) -> None:
    assert "matmul/inner" in codes(call + END)


@pytest.mark.parametrize("grow", ["a = a + a", "a += a", "a = a * 2", "a.extend(a)", "a = [*a, *a][: 2 * len(a)] + a"])
def test_a_list_that_doubles_is_summarised(grow: str) -> None:
    assert "matmul/inner" in codes(f"a = [1]\nfor i in range(25):\n    {grow}\n{END}")


def test_a_long_list_has_its_length() -> None:
    assert "matmul/inner" in codes("import torch\na = [0] * 20_000_000\ntorch.zeros(2, len(a)) @ torch.zeros(20_000_001, 5)\n")
    assert codes("import torch\na = [0] * 20_000_000\ntorch.zeros(2, len(a)) @ torch.zeros(20_000_000, 5)\n") == []


@pytest.mark.parametrize("text", ["a = 'x'", "a = ('x',)", "a = b'x'"])
def test_a_text_that_doubles_is_unknown(text: str) -> None:
    assert "matmul/inner" in codes(f"{text}\nfor i in range(60):\n    a = a + a\n{END}")


def test_a_shared_structure_is_not_spelled_out() -> None:
    assert "matmul/inner" in codes(f"a = [0]\nfor i in range(60):\n    a = [a, a]\nprint(str(a))\n{END}")


BOMBS = [(r"(a+)+$", "a" * 40 + "b"), (r"(a|a)*$", "a" * 40 + "b"), (r"(a|aa)+$", "a" * 60 + "b"), (r"(.*)*x", "a" * 40), (r"(x+x+)+y", "x" * 40),
         (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 60), (r"(.*a){12}", "a" * 40), (r"\s*\s*\s*\s*\s*x", " " * 3000)]  # fmt: skip


@pytest.mark.parametrize(("pattern", "text"), BOMBS)
def test_an_exploding_regular_expression_costs_its_own_value(pattern: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "ends", lambda run: False)
    assert texts.bound(pattern, 0, len(text)) > texts.MOST_MATCHES
    found = check_source(parse("hostile.py", f"import re\nre.match({pattern!r}, {text!r})\nre.sub({pattern!r}, '', {text!r}){END}"))
    assert [d.code for d in found.diagnostics] == ["matmul/inner"]
    assert {g.callee for g in found.gaps} == {"re.match", "re.sub"}


def test_a_trial_ends_an_exploding_search() -> None:
    assert not texts.ends(lambda: re.match(r"(a+)+$", "a" * 60 + "b"))
    assert texts.ends(lambda: re.match(r"(\w+\s*)+$", "some words"))


@pytest.mark.parametrize(
    "pattern", [r"\w+", r"layer(\d+)\.(weight|bias)", r"^(\w+)=(.*)$", r"[a-z]+_[0-9]+", r"(?P<name>\w+):\s*(?P<value>\S+)", r"epoch=(\d+)-loss=([\d.]+)"]
)
def test_everyday_patterns_need_no_trial(pattern: str) -> None:
    assert texts.bound(pattern, 0, 60) <= texts.MOST_MATCHES


def test_the_list_of_pure_functions_holds_none_that_acts() -> None:
    acting = (
        "exec", "eval", "compile", "open", "input", "breakpoint", "exit", "quit", "help", "license", "print", "__import__", "globals", "vars", "setattr",
    )  # fmt: skip
    for name in acting:
        if hasattr(builtins, name):
            assert host_calls.resolved(getattr(builtins, name), ()) is None
    for function in (os.system, os.remove, sys.exit, int.__subclasses__, object.__reduce_ex__, tempfile.mkdtemp, Path.unlink, re.compile("a").match):
        assert host_calls.resolved(function, ()) is None


@pytest.fixture
def models_looked_up_anew() -> Iterator[None]:
    """The registry keeps what it found: a model that a test replaces is neither hidden by it nor left in it."""
    registry.function.cache_clear()
    yield
    registry.function.cache_clear()


_SETS = "class A:\n    def __init__(self):\n        self.x = f'{3}'\nx = A().x"


@pytest.mark.usefixtures("models_looked_up_anew")
def test_a_failure_of_a_model_costs_one_value(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setitem(texts.FUNCTIONS, "re.escape", broken)
    monkeypatch.setattr("tensorproof.frontends.python.compiling.expressions.text", broken)
    for line in ("x = re.escape('a')", "x = f'{3}'", "if f'{3}' == '3': x = 3", "def f():\n    return f'{3}'\nx = f()", "for i in f'{3}': x = i", _SETS):
        found = check_source(parse("hostile.py", f"import re\n{line}\ny = x\n{END}"))
        assert [d.code for d in found.diagnostics] == ["matmul/inner"], line
        assert any("internal failure: ZeroDivisionError: oops" in g.reason for g in found.gaps), line


def test_a_text_of_one_of_two_texts_is_one_of_two() -> None:
    found = check_source(parse("p.py", "import os\nkind = 'float' if 'FAST' in os.environ else 'half'\nname = f'layer {kind}!'\nassert name.endswith('!')\n"))
    assert found.gaps == [] and found.diagnostics == []
