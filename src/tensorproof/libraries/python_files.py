"""json, toml, pickle and csv: files of the project are read as data, nothing is ever unpickled."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from tensorproof.libraries.model import KindModel, Run
from tensorproof.libraries.plain import Abstract, argument, from_host, nothing, quiet, to_host, unknown
from tensorproof.libraries.python_paths import read_text, text_of
from tensorproof.libraries.yaml_text import NotUnderstood, parse
from tensorproof.values.objects import Model
from tensorproof.values.python_values import TEXT, Unknown

Args = tuple[Any, ...]
Named_ = dict[str, Any]


def content(m: Any, source: Any) -> str | None:
    """The text of an open file or of a path, None when it is not known."""
    if isinstance(source, Model) and source.kind == "file":
        return read_text(m, source.space["path"])
    return read_text(m, source) if text_of(source) is not None else None


def _parsed(m: Any, text: Any, parser: Any, kind: str, node: Any) -> Any:
    if not isinstance(text, (str, bytes)):
        return Unknown("data of a file")
    try:
        return from_host(m, parser(text))
    except NotUnderstood as reason:
        return m.gap("yaml", node, str(reason))
    except (ValueError, RecursionError) as error:
        raise m.raised(kind, f"{kind}: {error}", node, "python/value") from None


def _loads(parser: Any, kind: str) -> Run:
    return lambda m, args, kwargs, node: _parsed(m, argument(args, kwargs, 0, "s"), parser, kind, node)


def _load(parser: Any, kind: str) -> Run:
    return lambda m, args, kwargs, node: _parsed(m, content(m, args[0] if args else kwargs.get("fp")), parser, kind, node)


def _yaml(m: Any, args: Args, kwargs: Named_, node: Any) -> Any:
    stream = argument(args, kwargs, 0, "stream")
    text = stream if isinstance(stream, str) else content(m, stream)
    return _parsed(m, text, parse, "YAMLError", node)


def _dumps(m: Any, args: Args, kwargs: Named_, node: Any) -> Any:
    try:
        given = to_host(args[0]), {k: to_host(v) for k, v in kwargs.items()}
    except Abstract:
        return TEXT
    try:
        return json.dumps(given[0], **given[1])
    except (TypeError, ValueError) as error:
        raise m.raised(type(error).__name__, f"{type(error).__name__}: {error}", node) from None


def _rows(m: Any, args: Args, kwargs: Named_, node: Any) -> Model:
    return Model("csv.reader", m.heap.space())


FUNCTIONS: dict[str, Any] = {
    "json.loads": _loads(json.loads, "JSONDecodeError"), "json.load": _load(json.loads, "JSONDecodeError"), "json.dumps": _dumps, "json.dump": nothing,
    "tomllib.loads": _loads(tomllib.loads, "TOMLDecodeError"), "tomllib.load": _load(tomllib.loads, "TOMLDecodeError"),
    "toml.loads": _loads(tomllib.loads, "TomlDecodeError"), "toml.load": _load(tomllib.loads, "TomlDecodeError"), "toml.dump": nothing,
    "toml.dumps": lambda m, a, k, n: TEXT, "tomli.load": _load(tomllib.loads, "TOMLDecodeError"), "tomli.loads": _loads(tomllib.loads, "TOMLDecodeError"),
    **{f"yaml.{name}": _yaml for name in ("safe_load", "load", "full_load", "unsafe_load")}, "yaml.dump": lambda m, a, k, n: TEXT,
    "yaml.safe_dump": lambda m, a, k, n: TEXT, "pickle.load": unknown("a pickled object"), "pickle.loads": unknown("a pickled object"), "pickle.dump": nothing,
    "pickle.dumps": unknown("bytes"), "csv.reader": _rows, "csv.DictReader": _rows, "csv.writer": quiet, "csv.DictWriter": quiet,
}  # fmt: skip
VALUES: dict[str, Any] = {"pickle.HIGHEST_PROTOCOL": 5, "pickle.DEFAULT_PROTOCOL": 4, "csv.QUOTE_NONE": 3, "csv.QUOTE_ALL": 1}
KINDS = {
    "csv.reader": KindModel(
        rounds=lambda m, me, node: [(m.open_truth("another row", node), Unknown("a row of a file"))], items=lambda m, me, node: None,
        next=lambda m, me, node: Unknown("a row of a file"), open=True,
    ),
}  # fmt: skip
