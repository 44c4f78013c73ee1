"""json, toml and pickle: files of the project are read as data, nothing is ever unpickled."""

from __future__ import annotations

import configparser
import json
import tomllib
from typing import Any

from tensorproof.libraries.model import KindModel, Run
from tensorproof.libraries.plain import Abstract, argument, from_host, nothing, to_host, unknown
from tensorproof.libraries.python_paths import read_text, text_of
from tensorproof.libraries.varying import varied
from tensorproof.libraries.yaml_text import NotUnderstood, parse
from tensorproof.terms.ints import Origin
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
        return varied(m, from_host(m, parser(text)), node)
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


# --- configparser ---


def _ini(m: Any, args: Args, kwargs: Named_, node: Any) -> Model:
    return Model("configparser.ConfigParser", m.heap.space({"texts": (), "known": True}))


def _ini_read(m: Any, me: Model, args: Args, kwargs: Named_, node: Any) -> Any:
    """Read a file of the project, or a text; what is not found may say anything."""
    text = args[0] if kwargs.get("text") else content(m, args[0])
    if not isinstance(text, str):
        m.heap.set(me.space, "known", False)
        return Unknown("names of files")
    m.heap.set(me.space, "texts", (*me.space["texts"], text))
    return from_host(m, [text_of(args[0]) or ""])


def _ini_host(me: Model) -> configparser.ConfigParser | None:
    if not me.space["known"]:
        return None
    host = configparser.ConfigParser()
    for text in me.space["texts"]:
        host.read_string(text)
    return host


def _ini_get(name: str) -> Run:
    def run(m: Any, me: Model, args: Args, kwargs: Named_, node: Any) -> Any:
        if "fallback" in kwargs and not isinstance(kwargs["fallback"], (str, int, float, bool, type(None))):
            return Unknown(name)
        try:
            host = _ini_host(me)
            if host is None or any(isinstance(a, Unknown) for a in args):
                return m.symbol(m.name_here("number", node), -(2**63), 2**63, Origin.USER) if name == "getint" else TEXT if name == "get" else Unknown(name)
            return from_host(m, getattr(host, name)(*args, **kwargs))
        except (configparser.Error, ValueError, KeyError) as error:
            raise m.raised(type(error).__name__, f"{type(error).__name__}: {error}", node, "python/key") from None

    return run


def _ini_section(m: Any, me: Model, name: Any, node: Any) -> Any:
    host = _ini_host(me)
    if host is None or not isinstance(name, str):
        return Unknown("a section")
    if name not in host:
        raise m.raised("KeyError", f"the configuration has no section {name}", node)
    return from_host(m, dict(host[name]))


FUNCTIONS: dict[str, Any] = {
    "configparser.ConfigParser": _ini, "configparser.RawConfigParser": _ini, "configparser.SafeConfigParser": _ini,
    "json.loads": _loads(json.loads, "JSONDecodeError"), "json.load": _load(json.loads, "JSONDecodeError"), "json.dumps": _dumps, "json.dump": nothing,
    "tomllib.loads": _loads(tomllib.loads, "TOMLDecodeError"), "tomllib.load": _load(tomllib.loads, "TOMLDecodeError"),
    "toml.loads": _loads(tomllib.loads, "TomlDecodeError"), "toml.load": _load(tomllib.loads, "TomlDecodeError"), "toml.dump": nothing,
    "toml.dumps": lambda m, a, k, n: TEXT, "tomli.load": _load(tomllib.loads, "TOMLDecodeError"), "tomli.loads": _loads(tomllib.loads, "TOMLDecodeError"),
    **{f"yaml.{name}": _yaml for name in ("safe_load", "load", "full_load", "unsafe_load")}, "yaml.dump": lambda m, a, k, n: TEXT,
    "yaml.safe_dump": lambda m, a, k, n: TEXT, "pickle.load": unknown("a pickled object"), "pickle.loads": unknown("a pickled object"), "pickle.dump": nothing,
    "pickle.dumps": unknown("bytes"),
}  # fmt: skip
VALUES: dict[str, Any] = {"pickle.HIGHEST_PROTOCOL": 5, "pickle.DEFAULT_PROTOCOL": 4}
KINDS = {
    "configparser.ConfigParser": KindModel(
        methods={
            "read": _ini_read, "read_string": lambda m, me, a, k, n: _ini_read(m, me, a, {"text": True}, n), "read_file": _ini_read,
            **{name: _ini_get(name) for name in ("get", "getint", "getfloat", "getboolean", "sections", "has_section", "has_option", "options")},
        },
        item=_ini_section, open=True,
    ),
}  # fmt: skip
