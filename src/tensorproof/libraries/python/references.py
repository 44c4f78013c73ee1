"""weakref, tempfile, platform, socket and getpass: references that never die here, and words of the machine that are not known."""

from __future__ import annotations

import ast

from tensorproof.libraries import Run, argument
from tensorproof.values import TEXT, Args, Kwargs, Machine, Model, Native, Set, Value

# --- weakref ---


def _reference(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Native:
    """The object is taken to live as long as the reference."""
    return Native("weakref.ref", lambda machine, given, named, at: args[0])


def _dict(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return m.call(dict, args, kwargs, node)


# --- tempfile ---


def _file(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    mode = argument(args, kwargs, 0, "mode", "w+b")
    return Model("file", m.heap.space({"path": None, "mode": mode if isinstance(mode, str) else "?", "at": 0, "name": TEXT}))


FUNCTIONS: dict[str, Run] = {
    "weakref.ref": _reference, "weakref.WeakMethod": _reference, "weakref.WeakValueDictionary": _dict, "weakref.WeakKeyDictionary": _dict,
    "weakref.WeakSet": lambda m, a, k, n: Set(m.heap.row(m.iterate(a[0], n) or ()))
    if a else Set(m.heap.row()),
    **{f"tempfile.{word}": _file for word in ("NamedTemporaryFile", "TemporaryFile", "SpooledTemporaryFile")},
}  # fmt: skip
