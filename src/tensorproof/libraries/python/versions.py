"""Versions as packaging, distutils and pkg_resources compare them, and those of the libraries (`torch.__version__`)."""

from __future__ import annotations

import ast
import operator
import re
from itertools import zip_longest
from typing import Any

from tensorproof.bindings.names import versions
from tensorproof.libraries.model import ClassModel, KindModel, Run
from tensorproof.values import MISSING, Args, Key, Kwargs, Machine, Model, Unknown, Value, slot

TEXT: Key[str] = slot("text")
_FORM = re.compile(r"\s*v?(\d+(?:\.\d+)*)[-_.]?(?:(a|alpha|b|beta|c|rc|pre|dev|post)[-_.]?(\d*))?[^+]*(\+.*)?\s*")
_STAGES = {"dev": -4, "a": -3, "alpha": -3, "b": -2, "beta": -2, "c": -1, "rc": -1, "pre": -1, "": 0, "post": 1}
_MOST_LETTERS = 200
_COMPARED = {word: getattr(operator, word) for word in ("eq", "ne", "lt", "le", "gt", "ge")}


def _parse(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    text = args[0] if args else kwargs.get("version", kwargs.get("vstring"))
    if isinstance(text, Model) and text.kind == "version":
        return text
    if not isinstance(text, str):
        return Unknown("a version")
    if len(text) > _MOST_LETTERS or _FORM.fullmatch(text) is None:
        raise m.raised("ValueError", f"Invalid version: {text[:_MOST_LETTERS]!r}", node)
    return Model("version", m.heap.space({"text": text}))


def _parts(text: str) -> tuple[tuple[int, ...], int, int, bool]:
    """The numbers of a release, its stage with its number, and whether it is a build of its own."""
    found = _FORM.fullmatch(text)
    assert found is not None
    return tuple(map(int, found[1].split("."))), _STAGES[found[2] or ""], int(found[3] or 0), found[4] is not None


def _order(a: str, b: str) -> int:
    x, y = _parts(a), _parts(b)
    for p, q in zip_longest(x[0], y[0], fillvalue=0):
        if p != q:
            return 1 if p > q else -1
    return (x[1:] > y[1:]) - (x[1:] < y[1:])


def _binary(m: Machine, word: str, a: Any, b: Any, node: ast.AST) -> Value:
    texts = [side.space[TEXT] if isinstance(side, Model) and side.kind == "version" else side for side in (a, b)]
    if word not in _COMPARED:
        return MISSING
    if not all(isinstance(text, str) and _FORM.fullmatch(text) for text in texts):
        return Unknown(word)
    return _COMPARED[word](_order(*texts), 0)


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    release, stage, _, _ = _parts(me.space[TEXT])
    known: dict[str, Value] = {
        "major": release[0], "minor": (*release, 0)[1], "micro": (*release, 0, 0)[2], "release": release, "base_version": ".".join(map(str, release)),
        "public": me.space[TEXT].partition("+")[0], "is_prerelease": stage < 0, "vstring": me.space[TEXT],
    }  # fmt: skip
    return known.get(name, MISSING)


_NAMES = (
    "packaging.version.parse", "packaging.version.Version", "distutils.version.LooseVersion", "distutils.version.StrictVersion",
    "pkg_resources.parse_version", "looseversion.LooseVersion",
)  # fmt: skip
FUNCTIONS: dict[str, Run] = dict.fromkeys(_NAMES, _parse)
KINDS = {"version": KindModel(attribute=_attribute, binary=_binary, text=lambda m, me: me.space[TEXT], bases=("packaging.version.Version",))}
CLASSES = {"packaging.version.Version": ClassModel("version", closed=False)}


_OF = {"torch": "torch", "tf": "tensorflow", "keras": "keras", "numpy": "numpy"}


def _text(library: str) -> Run:
    return lambda m: versions.text(library)


VALUES: dict[str, Run] = {
    **{f"{root}.__version__": _text(library) for root, library in _OF.items()}, "tf.VERSION": _text("tensorflow"), "tf.version.VERSION": _text("tensorflow"),
    "torch.version.__version__": _text("torch"),
}  # fmt: skip
