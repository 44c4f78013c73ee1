"""Reads a Python file. What cannot be read is `BadInput` with one clear sentence."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from contextlib import suppress
from pathlib import Path

from tensorproof.diagnostics.errors import BadInput
from tensorproof.terms.records import dataclass
from tensorproof.values.told import NOTHING, Told

MOST_BYTES = 2 * 1024 * 1024
"""Python's own parser takes 10 s and 3 GB for ten times as much."""
_NESTING = 1000
"""Python's own limit, which its parser follows too: what it could not compile is refused."""


@dataclass(frozen=True, slots=True)
class Source:
    path: str
    text: str
    tree: ast.Module
    told: Told = NOTHING


def read(path: str) -> Source:
    try:
        file = Path(path)
        if file.is_dir():
            raise BadInput(f"{path} is a directory; name the Python files to check")
        size = file.stat().st_size
        if size > MOST_BYTES:
            raise BadInput(f"{path} is too large to check: it has {size:,} bytes, the limit is {MOST_BYTES:,}")
        with file.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
        raise BadInput(f"{path} cannot be read: {(getattr(error, 'strerror', None) or str(error)).lower()}") from None
    if len(data) > MOST_BYTES:
        raise BadInput(f"{path} is too large to check: the limit is {MOST_BYTES:,} bytes")
    return parse(path, decode(path, data))


def decode(path: str, data: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return io.TextIOWrapper(io.BytesIO(data), encoding, newline=None).read()
    except (SyntaxError, LookupError):
        raise BadInput(f"{path} is not Python: {_about_encoding(data)}") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{path}:{line} is not Python: its bytes cannot be decoded as {error.encoding} text") from None


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
        raise BadInput(f"{path}:{error.lineno or 1}:{error.offset or 1}: syntax error: {error.msg}") from None
    except (RecursionError, MemoryError):
        raise BadInput(f"{path} nests too deeply to be parsed as Python") from None
    except ValueError as error:
        raise BadInput(f"{path} is not Python: {error}") from None
    finally:
        sys.setrecursionlimit(limit)
    return Source(path, text, tree)
