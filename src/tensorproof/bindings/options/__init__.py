"""How each library computes an operator where libraries differ: `torch.txt`, `tensorflow.txt` … hold the options of the operators.

    conv1d conv2d conv3d: whole=int64 same_needs_stride_one

gives these operators, whatever spelling applies them, the option `whole` with the value `int64`, and `same_needs_stride_one`, which is true. A line for `*`
holds for all operators. A rule reads `c.option("whole")` and gets None where the library does not say. An option with the name of an attribute of the
operator is that attribute's value where the call gives none: what changes values is so recorded with the application. What one spelling does differently
is no option of the library: it is an attribute that the row fixes (`; name=value`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import Any

from tensorproof.ops.session import Session
from tensorproof.terms.dtypes import BY_LABEL

_FILES = {"torch": "torch", "tf": "tensorflow", "keras": "keras", "numpy": "numpy", "onnx": "onnx"}


@cache
def options(framework: str) -> Mapping[str, Mapping[str, Any]]:
    """The options of a framework, by operator."""
    with open(os.path.join(os.path.dirname(__file__), f"{_FILES[framework]}.txt"), encoding="utf-8") as stream:
        lines = [line.partition("#")[0].partition(":") for line in stream]
    found: dict[str, dict[str, Any]] = {}
    for operators, _, words in lines:
        given = dict(map(_read, words.split()))
        for name in operators.split():
            found.setdefault(name, {}).update(given)
    return found


def _read(word: str) -> tuple[str, Any]:
    name, equals, value = word.partition("=")
    if not equals:
        return name, True
    return name, int(value) if value.isdigit() else BY_LABEL.get(value, value)


def enter(session: Session, framework: str) -> None:
    """Make the calls of a session those of a framework."""
    if session.framework != framework or not session.options:
        session.framework = framework
        session.options = options(framework)
        session.everywhere = session.options["*"]


def session_of(framework: str) -> Session:
    """A new session of a framework."""
    made = Session()
    enter(made, framework)
    return made
