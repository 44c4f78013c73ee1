"""Zip archives of saved models, plain or gzipped: members are read under a bound, whatever the archive claims of their sizes."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

from tensorproof.diagnostics.errors import BadInput
from tensorproof.frontends.protobuf.opening import load
from tensorproof.frontends.protobuf.schema import Malformed
from tensorproof.terms.budgets import BUDGETS

MOST_MEMBERS = BUDGETS.files.archive_members
MOST_BYTES = BUDGETS.files.member_bytes
_GZIP = b"\x1f\x8b"


class Archive:
    """The members of an archive by name, without the folder that all of them may lie in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._zip = _open(path)
        found = self._zip.infolist()
        if len(found) > MOST_MEMBERS:
            raise BadInput(f"{path} holds {len(found):,} members, more than the {MOST_MEMBERS:,} that a model's archive may have.")
        tops = {info.filename.partition("/")[0] for info in found}
        folder = f"{tops.pop()}/" if len(tops) == 1 and all("/" in info.filename for info in found) else ""
        self._members = {info.filename.removeprefix(folder): info for info in found}

    @property
    def names(self) -> list[str]:
        return list(self._members)

    def size(self, name: str) -> int:
        """The size of a member as the archive claims it; 0 where there is no such member."""
        return self._members[name].file_size if name in self._members else 0

    def read(self, name: str, most: int = MOST_BYTES) -> bytes:
        """The contents of a member. Raises `Malformed` when there is none, when it is damaged, or when it is larger than `most`."""
        info = self._members.get(name)
        if info is None:
            raise Malformed(f"holds no {name}")
        if info.file_size > most:
            raise Malformed(f"claims {info.file_size:,} bytes for {name}, more than the {most:,} that are read")
        try:
            with self._zip.open(info) as member:
                data = member.read(most + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError) as error:
            raise Malformed(f"has a damaged member {name} ({' '.join(str(error).split())})") from None
        if len(data) > most:
            raise Malformed(f"unpacks to more than {most:,} bytes for {name}")
        return data


def _open(path: Path) -> zipfile.ZipFile:
    try:
        if path.is_dir():
            raise BadInput(f"{path} is a directory, not a model file.")
        if path.stat().st_size == 0:
            raise BadInput(f"{path} is empty.")
        with path.open("rb") as file:
            gzipped = file.read(2) == _GZIP
        return zipfile.ZipFile(io.BytesIO(load(path)[:]) if gzipped else path)
    except FileNotFoundError:
        raise BadInput(f"{path} does not exist.") from None
    except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is not a readable archive: {' '.join(str(error).split()).rstrip('.')}.") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None
