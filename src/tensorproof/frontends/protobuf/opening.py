"""Opening a model file: plain or gzipped, distinguished by content, never read beyond a bound."""

from __future__ import annotations

import mmap
import zlib
from pathlib import Path

from tensorproof.diagnostics.errors import BadInput
from tensorproof.terms.budgets import BUDGETS

Buffer = bytes | mmap.mmap

MOST_BYTES = BUDGETS.files.model_bytes
MOST_UNPACKED = BUDGETS.files.unpacked_bytes

_GZIP = b"\x1f\x8b"
_MAPPED = 64 << 20
_CHUNK = 1 << 20


def load(path: Path, most_bytes: int = MOST_BYTES, most_unpacked: int = MOST_UNPACKED) -> Buffer:
    """The contents of the file, unpacked when it is gzipped. Large plain files are mapped, not copied."""
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise BadInput(f"{path} is a directory, not a model file.")
        if size == 0:
            raise BadInput(f"{path} is empty.")
        if size > most_bytes:
            raise BadInput(f"{path} holds {size:,} bytes, more than the {most_bytes:,} that a model file may have.")
        with path.open("rb") as file:
            gzipped = file.read(2) == _GZIP
            file.seek(0)
            if size > _MAPPED and not gzipped:
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            data = file.read()
    except FileNotFoundError:
        raise BadInput(f"{path} does not exist.") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None
    return _unpack(path, data, most_unpacked) if gzipped else data


def _unpack(path: Path, data: bytes, most: int) -> bytes:
    """All members of a gzip file; stops at the bound, so that a bomb costs no more memory than a model."""
    pieces: list[bytes] = []
    total = 0
    rest = data
    try:
        while rest.startswith(_GZIP):
            member = zlib.decompressobj(wbits=31)
            while not member.eof:
                piece = member.decompress(rest, _CHUNK)
                rest = member.unconsumed_tail or member.unused_data
                total += len(piece)
                if total > most:
                    raise BadInput(f"{path} unpacks to more than {most:,} bytes.")
                pieces.append(piece)
                if not rest and not piece and not member.eof:
                    raise BadInput(f"{path} is a truncated gzip file.")
    except zlib.error as error:
        raise BadInput(f"{path} is a damaged gzip file: {error}.") from None
    if not total:
        raise BadInput(f"{path} is empty.")
    return b"".join(pieces)
