"""os.path and pathlib: paths as texts, and files of the project that may be read as data."""

from __future__ import annotations

import ast
import os.path
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from tensorproof.libraries import Abstract, KindModel, Run, listed, some_iterations, to_host
from tensorproof.libraries.python.storage.path_text import text_of
from tensorproof.libraries.python.storage.saved_values import forget, moved
from tensorproof.values import MISSING, TEXT, Args, Kwargs, Machine, Model, Unknown, Value, joined_text

LARGEST = 1_000_000
"""Files of more bytes are not read."""


def project_file(m: Machine, value: Value) -> Path | None:
    """A file that lies beside the program or in the working directory; None when there is none, or when it is too large."""
    name = text_of(value)
    if name is None or "\0" in name:
        return None
    home = Path(m.main_path).resolve().parent
    for base in (home, Path.cwd()):
        try:
            found = (base / name).resolve()
            inside = any(found.is_relative_to(root) for root in (home, *home.parents[:2], Path.cwd()))
            if inside and found.is_file() and found.stat().st_size <= LARGEST:
                return found
        except OSError:
            continue
    return None


def read_text(m: Machine, value: Value) -> str | None:
    """The text of a file of the project."""
    found = project_file(m, value)
    if found is None:
        return None
    try:
        return found.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _on_texts(function: Value, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    texts = [one.space["text"] if isinstance(one, Model) and one.kind == "pathlib.Path" else one for one in args]
    if any(isinstance(one, (Unknown, Model)) for one in texts):
        if function is os.path.join:
            return joined_text(texts, "/")
        return (TEXT, TEXT) if function in (os.path.splitext, os.path.split, os.path.splitdrive) else TEXT
    return m.call(function, tuple(texts), kwargs, node)


def _path(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    texts = [text_of(a) for a in args]
    for one in args:
        if isinstance(one, (int, float, type(None))):
            raise m.raised("TypeError", f"a path is made of texts, not of {type(one).__name__}", node)
    if all(t is not None for t in texts):
        return _made(m, str(PurePosixPath(*[t for t in texts if t is not None])))
    return _made(m, joined_text([one.space["text"] if isinstance(one, Model) and one.kind == "pathlib.Path" else one for one in args], "/"))


def _made(m: Machine, text: Value) -> Model:
    if not isinstance(text, str):
        return Model("pathlib.Path", m.heap.space({"text": text if isinstance(text, Unknown) and text.text else TEXT}))
    known = m.model_state.setdefault("paths", {})  # one object for one text: a path is the key of a dict
    if text not in known:
        known[text] = Model("pathlib.Path", m.heap.space({"text": text}))
    return known[text]  # type: ignore[no-any-return]


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    text = me.space["text"]
    if name in ("name", "stem", "suffix", "root", "anchor", "drive"):
        return getattr(PurePosixPath(text), name) if isinstance(text, str) else TEXT
    if name == "parent":
        return _made(m, str(PurePosixPath(text).parent) if isinstance(text, str) else None)
    if name == "parents":
        return Unknown("parents") if not isinstance(text, str) else tuple(_made(m, str(p)) for p in PurePosixPath(text).parents)
    if name in ("parts", "suffixes"):
        if not isinstance(text, str):
            return Unknown(name)
        return PurePosixPath(text).parts if name == "parts" else listed(m, PurePosixPath(text).suffixes)
    return MISSING


def _pure(name: str, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A method that gives another path."""
    text = me.space["text"]
    given = [text_of(a) for a in args]
    if not isinstance(text, str) or any(g is None for g in given):
        return _path(m, (me, *args), kwargs, node) if name == "joinpath" else _made(m, None)
    try:
        return _made(m, str(getattr(PurePosixPath(text), name)(*given)))
    except ValueError as error:
        raise m.raised("ValueError", f"ValueError: {error}", node) from None


def _resolved(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    text = me.space["text"]
    return _made(m, os.path.abspath(os.path.expanduser(text)) if isinstance(text, str) else None)


def _asked(name: str, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """A question of the text alone."""
    text = me.space["text"]
    try:
        given = [to_host(a if not isinstance(a, Model) else text_of(a)) for a in args]
    except Abstract:
        return Unknown(name)
    return getattr(PurePosixPath(text), name)(*given) if isinstance(text, str) else Unknown(name)


def _read(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = read_text(m, me)
    return TEXT if found is None else found


def _binary(m: Machine, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    if word == "truediv":
        for side in (a, b):
            if not isinstance(side, (str, Unknown)) and not (isinstance(side, Model) and side.kind == "pathlib.Path"):
                raise m.raised("TypeError", f"a path is not joined with a {type(side).__name__}", node)
        return _path(m, (a, b), {}, node)
    if word in ("eq", "ne"):
        if not all(isinstance(s, Model) and s.kind == "pathlib.Path" for s in (a, b)):
            return word == "ne"
        x, y = text_of(a), text_of(b)
        return Unknown(word) if x is None or y is None else (x == y) is (word == "eq")
    if word in ("lt", "le", "gt", "ge"):
        x, y = text_of(a), text_of(b)
        return Unknown(word) if x is None or y is None else getattr(PurePosixPath(x).parts, f"__{word}__")(PurePosixPath(y).parts)
    raise m.raised("TypeError", f"the operator {word} is not defined for paths", node)


_OF_FILE = ("exists", "is_file", "is_dir", "is_symlink")


def _of_file(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """A question of the file system: each answer is one of a machine on which the program may run."""
    path = args[0] if args else kwargs.get("path")
    text = text_of(path)
    return Unknown(name, number="bool", world=text if text is not None else path.key or "?" if isinstance(path, Unknown) else "?")


def _written(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    forget(m, me)
    return Unknown("a number", number="int")


def _renamed(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    moved(m, (me, *args), kwargs, node)
    return args[0]


def _asks(name: str) -> Run:
    return lambda m, me, args, kwargs, node: _of_file(f"Path.{name}", m, (me,), {}, node)


_PURE = ("joinpath", "with_suffix", "with_name", "with_stem", "relative_to")
FUNCTIONS: dict[str, Run] = {
    **{f"os.path.{name}": partial(_on_texts, getattr(os.path, name)) for name in (
        "join", "basename", "dirname", "splitext", "split", "normpath", "isabs", "abspath", "realpath", "expanduser", "expandvars", "relpath", "normcase",
    )},
    **{f"os.path.{name}": partial(_of_file, f"os.path.{name}") for name in ("exists", "isdir", "isfile", "islink", "ismount", "lexists")},
    "os.path.commonprefix": lambda m, a, k, n: m.call(os.path.commonprefix, a, k, n),
    **{f"pathlib.{name}": _path for name in ("Path", "PurePath", "PosixPath", "PurePosixPath")},
    "pathlib.Path.cwd": lambda m, a, k, n: _made(m, str(Path.cwd())), "pathlib.Path.home": lambda m, a, k, n: _made(m, None),
}  # fmt: skip
KINDS = {
    "pathlib.Path": KindModel(
        methods={
            **{name: partial(_pure, name) for name in _PURE}, **{name: _asks(name) for name in _OF_FILE},
            "resolve": _resolved, "absolute": _resolved, "expanduser": _resolved,
            "read_text": _read,
            "open": lambda m, me, a, k, n: m.call(open, (me, *a), k, n),
            "is_absolute": partial(_asked, "is_absolute"), "as_posix": lambda m, me, a, k, n: me.space["text"],
            "match": partial(_asked, "match"), "is_relative_to": partial(_asked, "is_relative_to"), "rename": _renamed, "replace": _renamed,
            "write_text": _written,
            "write_bytes": _written, "__fspath__": lambda m, me, a, k, n: me.space["text"], "__str__": lambda m, me, a, k, n: me.space["text"],
        },
        attribute=_attribute, binary=_binary, text=lambda m, me: me.space["text"], bases=("pathlib.PurePath", "os.PathLike", "pathlib.PosixPath"),
        enter=lambda m, me, node: me,
    ),
    "pathlib.entries": KindModel(
        iterations=lambda m, me, n: some_iterations(m, "entries", _made(m, None), n),
        items=lambda m, me, node: None, next=lambda m, me, node: _made(m, None)),
}  # fmt: skip
