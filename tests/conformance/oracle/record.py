"""What one call to torch did, as plain data, and the file in which such records are kept. Knows nothing of torch."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
FORMAT = 4
"""Grows when the encoding changes, so that an old cache is not misread."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor argument or result. `strides` is None when contiguous, `contents` is None when not kept."""

    shape: tuple[int, ...]
    dtype: str
    strides: tuple[int, ...] | None = None
    device: str = "cpu"
    layout: str = "strided"
    requires_grad: bool = False
    contents: tuple[Any, ...] | None = None

    def __repr__(self) -> str:
        text = f"{self.dtype}{list(self.shape)}"
        text += f" strides={self.strides}" if self.strides is not None else ""
        text += f" {self.layout}" if self.layout != "strided" else ""
        text += f" on {self.device}" if self.device != "cpu" else ""
        few = self.contents is not None and self.dtype[0] in "iub" and 0 < len(self.contents) <= 8
        return text + (f" = {list(self.contents or ())}" if few else "")


@dataclass(frozen=True, slots=True)
class Name:
    """A torch constant that is no number: `kind` is dtype, device, layout, memory_format, constant, function or opaque."""

    kind: str
    text: str

    def __repr__(self) -> str:
        return self.text if self.kind != "device" else repr(self.text)


@dataclass(frozen=True, slots=True)
class Made:
    """An argument that the user constructs: a module or an options object."""

    spelling: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __repr__(self) -> str:
        return f"{self.spelling}({render(self.args, self.kwargs)})"


@dataclass(frozen=True, slots=True)
class Record:
    """One call. `kind` is sample or error; `table` is op_db or module_db.

    A module's record holds the constructor's arguments in `init`, `init_kwargs` and, in `state`, its parameters and buffers.
    `stage` tells where an error input fails: call, or construction of the module.
    """

    table: str
    kind: str
    entry: str
    index: int
    spelling: str
    dtype: str
    primary: bool
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    outputs: Any = None
    init: tuple[Any, ...] = ()
    init_kwargs: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    training: bool = True
    stage: str = "call"
    error_type: str = ""
    error_regex: str = ""
    error_text: str = ""

    @property
    def key(self) -> str:
        """A stable name for this record, as the left-out lists use it."""
        return f"{self.entry}#{self.index}" if self.primary else f"{self.entry}[{self.dtype}]#{self.index}"

    def __str__(self) -> str:
        call = f"{self.spelling}({render(self.args, self.kwargs)})"
        if self.table == "module_db":
            call = f"{self.spelling}({render(self.init, self.init_kwargs)})" + ("" if self.training else ".eval()")
            if self.stage == "call":
                call += f"({render(self.args, self.kwargs)})"
        return call


def render(args: Iterable[Any], kwargs: dict[str, Any]) -> str:
    return ", ".join([*(repr(a) for a in args), *(f"{k}={v!r}" for k, v in kwargs.items())])


# The encoding: JSON, with what JSON lacks as {"$": kind, ...}.


def to_json(value: Any) -> Any:
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if value - value == 0 else {"$": "float", "v": repr(value)}
        case complex():
            return {"$": "complex", "v": [to_json(value.real), to_json(value.imag)]}
        case list():
            return [to_json(v) for v in value]
        case tuple():
            return {"$": "tuple", "v": [to_json(v) for v in value]}
        case dict():
            return {"$": "dict", "v": [[to_json(k), to_json(v)] for k, v in value.items()]}
        case slice():
            return {"$": "slice", "v": [to_json(value.start), to_json(value.stop), to_json(value.step)]}
        case range():
            return {"$": "range", "v": [value.start, value.stop, value.step]}
        case Tensor():
            return {"$": "tensor", **{k: _plain(v) for k, v in asdict(value).items() if v is not None}}
        case Made():
            return {"$": "made", "v": [value.spelling, to_json(value.args), to_json(value.kwargs)]}
        case Name():
            return {"$": value.kind, "v": value.text}
        case _ if value is ...:
            return {"$": "ellipsis"}
    raise TypeError(f"no encoding for {type(value)}: {value!r}")


def _plain(value: Any) -> Any:
    return [to_json(v) for v in value] if isinstance(value, tuple) else value


def from_json(value: Any) -> Any:
    if isinstance(value, list):
        return [from_json(v) for v in value]
    if not isinstance(value, dict):
        return value
    v = value.get("v")
    match value["$"]:
        case "tensor":
            return _tensor(value)
        case "tuple":
            return tuple([from_json(x) for x in v])
        case "float":
            return float(v)
        case "complex":
            return complex(from_json(v[0]), from_json(v[1]))
        case "dict":
            return {from_json(k): from_json(x) for k, x in v}
        case "slice":
            return slice(*(from_json(x) for x in v))
        case "range":
            return range(*v)
        case "ellipsis":
            return ...
        case "made":
            return Made(v[0], from_json(v[1]), from_json(v[2]))
        case kind:
            return Name(kind, v)


def _tensor(value: dict[str, Any]) -> Tensor:
    strides, contents = value.get("strides"), value.get("contents")
    if contents and any(isinstance(c, dict) for c in contents):
        contents = [from_json(c) for c in contents]
    return Tensor(
        tuple(value["shape"]),
        value["dtype"],
        None if strides is None else tuple(strides),
        value["device"],
        value["layout"],
        value["requires_grad"],
        None if contents is None else tuple(contents),
    )


# The cache file.


def cache_path() -> Path:
    """`$TENSORPROOF_CACHE/op_db.jsonl.gz`, by default under `.cache/` in the repository."""
    return Path(os.environ.get("TENSORPROOF_CACHE") or ROOT / ".cache") / "op_db.jsonl.gz"


def write(records: Iterable[Record], path: Path, notes: dict[str, Any]) -> None:
    """One line of notes (what could not be dumped and why), then one line per record."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    with gzip.open(partial, "wt", compresslevel=4) as file:
        for record in records:
            line = {name: to_json(getattr(record, name)) for name in Record.__slots__}
            file.write(json.dumps(line, separators=(",", ":"), allow_nan=False) + "\n")
        file.write(json.dumps({"format": FORMAT, "notes": notes}) + "\n")
    partial.replace(path)


def read(path: Path | None = None, keep: Callable[[str, str], bool] = lambda entry, spelling: True) -> Iterator[Record]:
    """The records whose entry and spelling are kept, in the order of op_db.

    Raises FileNotFoundError with the command that makes the file.
    """
    path = path or cache_path()
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: python tests/conformance/oracle/dump.py (needs torch) makes it")
    with gzip.open(path, "rt") as file:
        for line in file:
            fields = json.loads(line)
            if "format" not in fields:
                if not keep(fields["entry"], fields["spelling"]):
                    continue
                yield Record(**{name: from_json(value) for name, value in fields.items()})
            elif fields["format"] != FORMAT:
                raise FileNotFoundError(f"{path} has an older format: run tests/conformance/oracle/dump.py again")


def notes(path: Path | None = None) -> dict[str, Any]:
    """What the dump set aside: entry → reason."""
    with gzip.open(path or cache_path(), "rt") as file:
        for line in file:
            last = line
    return json.loads(last)["notes"]
