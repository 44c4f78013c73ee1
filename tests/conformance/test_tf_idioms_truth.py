"""The programs of tests/programs/idioms_keras_*.md under the real TensorFlow and Keras: an error line must fail there, the others must run.

They run in one child process: programs of TensorFlow 1 come last, since they turn eager execution off for good.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.programs.test_programs import Case, cases

pytest.importorskip("tensorflow")

CASES = [case for case in cases() if case.title.startswith("idioms_keras_")]
RUNNER = """
import contextlib, io, json, os, sys, tempfile, traceback, warnings
warnings.simplefilter("ignore")
import keras, tensorflow as tf
from absl import flags
try:
    import tensorboard
except ImportError:  # an optional package: what it draws has no effect on the program
    for word in ("scalar", "image", "histogram", "text"):
        setattr(tf.summary, word, lambda *given, **named: None)
told = set(flags.FLAGS)
sys.argv = ["program.py"]
def outcome(code):
    os.chdir(tempfile.mkdtemp())
    keras.backend.clear_session()
    keras.mixed_precision.set_global_policy("float32")
    for name in set(flags.FLAGS) - told:
        delattr(flags.FLAGS, name)
    if "compat.v1" in code:
        tf.compat.v1.reset_default_graph()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(code, "<program>", "exec"), {"__name__": "__main__"})
    except SystemExit as ended:
        return (None, "") if ended.code in (None, 0) else (0, str(ended))
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<program>"]
        return (lines[-1] if lines else 0), f"{type(error).__name__}: {error}"[:400]
    return None, ""
codes = json.load(sys.stdin)
order = sorted(range(len(codes)), key=lambda i: "compat.v1" in codes[i])
found = {i: outcome(codes[i]) for i in order}
print("\\n" + json.dumps([found[i] for i in range(len(codes))]))
"""


@cache
def outcomes() -> dict[str, tuple[int | None, str]]:
    """For each program the innermost of its lines at which it fails, and why; None when it runs to its end."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    given = json.dumps([case.code for case in CASES])
    done = subprocess.run([sys.executable, "-c", RUNNER], input=given, capture_output=True, text=True, timeout=900, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[Any] = json.loads(done.stdout.rpartition("\n[")[2].join(("[", "")))
    return {case.title: (line, why) for case, (line, why) in zip(CASES, found)}


def test_there_are_enough_programs_and_each_has_its_wrong_form() -> None:
    assert len(CASES) >= 90
    assert [case.title.endswith(": a bug") for case in CASES] == [False, True] * (len(CASES) // 2)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.title)
def test_program_does_what_is_expected_of_it(case: Case, tmp_path: Path) -> None:
    line, why = outcomes()[case.title]
    lines = case.code.splitlines()
    expected = [i for i, text in enumerate(lines, 1) if "# error: " in text]
    open_ = any(re.search(r"# (gap|unknown)", text) for text in lines)
    if case.title.endswith(": a bug"):
        assert line is not None
        assert open_ or [line] == expected, why
    else:
        assert line is None, why
