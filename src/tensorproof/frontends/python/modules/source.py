"""Reads a Python file. What cannot be read is `BadInput` with one clear sentence."""

from __future__ import annotations

import ast
import io
import os
import re
import stat
import sys
from contextlib import suppress

from tensorproof.diagnostics.errors import BadFile
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.records import dataclass
from tensorproof.values.directives import NOTHING, Directives

MOST_BYTES = BUDGETS.files.source_bytes
_NESTING = 1000
"""Python's own limit, which its parser follows too: what it could not compile is refused."""


@dataclass(frozen=True, slots=True)
class Source:
    path: str
    text: str
    tree: ast.Module
    directives: Directives = NOTHING


def read(path: str) -> Source:
    return parse(path, text_of(path))


def text_of(path: str) -> str:
    try:
        if os.path.isdir(path):
            raise BadFile(path, "is a directory; name the Python files to check")
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode) and not stat.S_ISCHR(found.st_mode):
            raise BadFile(path, "cannot be read: it is not a regular file")
        if found.st_size > MOST_BYTES:
            raise BadFile(path, f"is too large to check: it has {found.st_size:,} bytes, the limit is {MOST_BYTES:,}")
        with open(path, "rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
        raise BadFile(path, f"cannot be read: {(getattr(error, 'strerror', None) or str(error)).lower()}") from None
    if len(data) > MOST_BYTES:
        raise BadFile(path, f"is too large to check: the limit is {MOST_BYTES:,} bytes")
    return decode(path, data)


def decode(path: str, data: bytes) -> str:
    try:
        return io.TextIOWrapper(io.BytesIO(data), _encoding(data), newline=None).read()
    except (SyntaxError, LookupError):
        raise BadFile(path, f"is not Python: {_about_encoding(data)}") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadFile(path, f"is not Python: its bytes cannot be decoded as {error.encoding} text", line=line) from None


def _encoding(data: bytes) -> str:
    """The encoding of a file; `SyntaxError` where its first lines contradict themselves."""
    head = b"".join(data.split(b"\n", 2)[:2])
    if head.isascii() and b"coding" not in head:
        return "utf-8"
    import tokenize

    return tokenize.detect_encoding(io.BytesIO(data).readline)[0]


def _about_encoding(data: bytes) -> str:
    """Why no encoding was found: the comment names an unknown one, or the first lines are no text."""
    found = re.search(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", b"\n".join(data.split(b"\n", 2)[:2]), re.MULTILINE)
    return f"it declares the encoding {found[1].decode('ascii', 'replace')}, which is not known" if found else "its bytes cannot be decoded as text"


def parse(path: str, text: str) -> Source:
    limit = sys.getrecursionlimit()
    try:
        with suppress(RecursionError):  # we are deeper already
            sys.setrecursionlimit(_NESTING)
        tree = ast.parse(text, path)
    except SyntaxError as error:
        raise BadFile(path, f"syntax error: {error.msg}", "python/syntax", error.lineno or 1, error.offset or 1) from None
    except (RecursionError, MemoryError):
        raise BadFile(path, "nests too deeply to be parsed as Python", "python/syntax") from None
    except ValueError as error:
        raise BadFile(path, f"is not Python: {error}", "python/syntax") from None
    finally:
        sys.setrecursionlimit(limit)
    return Source(path, text, tree)
