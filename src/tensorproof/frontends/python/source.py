"""Reads a Python file. What cannot be read is `BadInput` with one clear sentence."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

from tensorproof.diagnostics.errors import BadInput
from tensorproof.terms.records import dataclass

MOST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Source:
    path: str
    text: str
    tree: ast.Module


def read(path: str) -> Source:
    try:
        file = Path(path)
        if file.is_dir():
            raise BadInput(f"{path} is a directory; name the Python files to check")
        data = file.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None
    if len(data) > MOST_BYTES:
        raise BadInput(f"{path} is too large to check: {len(data)} bytes, the limit is {MOST_BYTES}")
    return parse(path, decode(path, data))


def decode(path: str, data: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return io.TextIOWrapper(io.BytesIO(data), encoding, newline=None).read()
    except (SyntaxError, UnicodeDecodeError, LookupError):
        raise BadInput(f"{path} is not Python: its bytes cannot be decoded as text") from None


def parse(path: str, text: str) -> Source:
    try:
        tree = ast.parse(text, path)
    except SyntaxError as error:
        raise BadInput(f"{path}:{error.lineno or 1}:{error.offset or 1}: syntax error: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError):
        raise BadInput(f"{path} cannot be parsed as Python") from None
    return Source(path, text, tree)
