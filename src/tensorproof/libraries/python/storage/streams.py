"""io, gzip, zipfile, tarfile, tempfile and hashlib: texts and bytes in memory, files inside of archives, temporary files, digests."""

from __future__ import annotations

import ast
import hashlib
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, listed, some_iterations
from tensorproof.libraries.python.core import texts
from tensorproof.values import BYTES, TEXT, WHOLE, Args, Key, Kwargs, List, Machine, Model, Summary, Unknown, Value, slot

NAME: Key[str] = slot("name")


def _buffer(empty: Value, otherwise: Unknown, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    given = args[0] if args else kwargs.get("initial_value", kwargs.get("initial_bytes", empty))
    given = empty if given is None else given
    space = {"text": given if isinstance(given, type(empty)) else otherwise, "at": 0, "otherwise": otherwise}
    return Model("io.StringIO", m.heap.space(space))


def _write(m: Machine, me: Model, args: tuple[Any, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    old: Any = me.space["text"]
    new, at = args[0], me.space["at"]
    if type(old) in (str, bytes) and type(old) is type(new) and isinstance(at, int) and (at == len(old) or not at):
        m.heap.set(me.space, "text", old + new if at == len(old) or not old else new + old[len(new) :])
        m.heap.set(me.space, "at", at + len(new))
    else:
        m.heap.set(me.space, "text", me.space["otherwise"])
        m.heap.set(me.space, "at", WHOLE)
    return len(new) if isinstance(new, (str, bytes)) else WHOLE


def _read(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    text, at = me.space["text"], me.space["at"]
    size = args[0] if args else -1
    if not isinstance(text, (str, bytes)) or not isinstance(at, int) or not isinstance(size, (int, type(None))):
        return me.space["otherwise"]
    end = len(text) if size is None or size < 0 else min(at + size, len(text))
    m.heap.set(me.space, "at", max(at, end))
    return text[at:end]


def _seek(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    text, place = me.space["text"], args[0]
    if len(args) > 1 and args[1] == 2 and place == 0 and isinstance(text, (str, bytes)):
        place = len(text)
    elif len(args) > 1 and args[1] != 0:
        place = WHOLE
    m.heap.set(me.space, "at", place)
    return place


def _lines(m: Machine, me: Model, node: ast.AST) -> list[Any] | None:
    rest = _read(m, me, (), {}, node)
    return rest.splitlines(keepends=True) if isinstance(rest, (str, bytes)) else None


def _line(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    text, at = me.space["text"], me.space["at"]
    if not isinstance(text, (str, bytes)) or not isinstance(at, int):
        return me.space["otherwise"]
    found = text[at:].splitlines(keepends=True)
    line = found[0] if found else text[:0]
    m.heap.set(me.space, "at", at + len(line))
    return line


def _next(m: Machine, me: Model, node: ast.AST) -> Value:
    line = _line(m, me, (), {}, node)
    if isinstance(line, (str, bytes)) and not line:
        raise m.raised("StopIteration", "there are no more lines", node)
    return line


def _all_lines(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = _lines(m, me, node)
    return texts(m, node) if found is None else listed(m, found)


def _iterations(m: Machine, me: Model, node: ast.AST) -> Value:
    known = isinstance(me.space["text"], (str, bytes)) and isinstance(me.space["at"], int)
    return None if known else some_iterations(m, "lines", me.space["otherwise"], node)


_BUFFER = KindModel(
    methods={
        "write": _write, "getvalue": lambda m, me, a, k, n: me.space["text"], "getbuffer": lambda m, me, a, k, n: me.space["text"], "read": _read,
        "seek": _seek, "readline": _line, "readlines": _all_lines, "tell": lambda m, me, a, k, n: me.space["at"],
    },
    enter=lambda m, me, node: me, items=_lines, next=_next, iterations=_iterations, open=True,
)  # fmt: skip


def _file(m: Machine, mode: str) -> Model:
    return Model("file", m.heap.space({"path": None, "mode": mode, "at": 0, "name": TEXT}))


def _packed(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    """`gzip.open` and its like: texts where the mode has a "t"."""
    mode = args[1] if len(args) > 1 else kwargs.get("mode", "rb")
    return _file(m, "t" if isinstance(mode, str) and "t" in mode else "b")


def _member(m: Machine) -> Model:
    return Model("zipfile.member", m.heap.space({"name": TEXT, "filename": TEXT, "size": WHOLE, "file_size": WHOLE, "mtime": WHOLE}))


def _members(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> List:
    found = texts(m, node)
    one = found.items[0]
    assert isinstance(one, Summary)
    return listed(m, [Summary("members", count=one.count, first=_member(m), second=_member(m))])


_ARCHIVE = KindModel(
    methods={
        **{name: lambda m, me, a, k, n: texts(m, n) for name in ("namelist", "getnames")}, "infolist": _members, "getmembers": _members,
        **{name: lambda m, me, a, k, n: _member(m) for name in ("getinfo", "getmember", "next", "gettarinfo")},
        **{name: lambda m, me, a, k, n: _file(m, "b") for name in ("open", "extractfile")},
    },
    enter=lambda m, me, node: me,
    iterations=lambda m, me, node: some_iterations(m, "members", _member(m), node), open=True,
)  # fmt: skip


def _digest(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    given = args[0] if args else b""
    kind = name
    if name == "new":
        kind, given = (args[0] if isinstance(args[0], str) else ""), args[1] if len(args) > 1 else b""
    if isinstance(given, str):
        raise m.raised("TypeError", "a digest is made of bytes: encode the text first", node)
    return Model("hashlib.hash", m.heap.space({"data": given if isinstance(given, bytes) else None, "name": kind}))


def _update(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    if isinstance(args[0], str):
        raise m.raised("TypeError", "a digest is made of bytes: encode the text first", node)
    old = me.space["data"]
    m.heap.set(me.space, "data", old + args[0] if isinstance(old, bytes) and isinstance(args[0], bytes) else None)


def _digested(method: str, otherwise: Unknown, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    data, name = me.space["data"], me.space[NAME]
    if not isinstance(data, bytes) or name not in hashlib.algorithms_guaranteed or args or name.startswith("shake"):
        return otherwise
    return getattr(hashlib.new(name, data), method)()


_HASH = KindModel(
    methods={
        "update": _update, "hexdigest": partial(_digested, "hexdigest", TEXT), "digest": partial(_digested, "digest", BYTES),
        "copy": lambda m, me, a, k, n: Model("hashlib.hash", m.heap.space(dict(me.space))),
    },
    open=True,
)  # fmt: skip


FUNCTIONS: dict[str, Run] = {
    "io.StringIO": partial(_buffer, "", TEXT), "io.BytesIO": partial(_buffer, b"", BYTES),
    "io.TextIOWrapper": lambda m, a, k, n: _file(m, "t"),
    "io.open": lambda m, a, k, n: m.call(open, a, k, n),
    "codecs.open": lambda m, a, k, n: m.call(open, a[:2], {}, n), **{f"{home}.open": _packed for home in ("gzip", "bz2", "lzma")}, "gzip.GzipFile": _packed,
    "bz2.BZ2File": _packed, "lzma.LZMAFile": _packed,
    **{f"{w}.{i}": lambda m, a, k, n: _member(m)
    for w, i in (("tarfile", "TarInfo"), ("zipfile", "ZipInfo"))},
    **{f"hashlib.{name}": partial(_digest, name) for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s", "sha3_256", "new")},
}  # fmt: skip
KINDS = {
    "io.StringIO": _BUFFER, "zipfile.archive": _ARCHIVE, "hashlib.hash": _HASH,
}  # fmt: skip


def _folder(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> str:
    return f"/tmp/{m.name_here('tmp', node)}"


FUNCTIONS |= {
    "tempfile.mkdtemp": _folder, "tempfile.mktemp": _folder,
    "tempfile.TemporaryDirectory": lambda m, a, k, n: Model("tempfile.TemporaryDirectory", m.heap.space({"name": _folder(m, a, k, n)})),
    "tempfile.mkstemp": lambda m, a, k, n: (Unknown("a file's number", number="int"), _folder(m, a, k, n)),
}  # fmt: skip
KINDS |= {"tempfile.TemporaryDirectory": KindModel(enter=lambda m, me, node: me.space["name"], open=True)}
