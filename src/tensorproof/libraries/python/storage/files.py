"""json, toml and pickle: files of the project are read as data, nothing is ever unpickled."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorproof.libraries import Abstract, KindModel, Run, argument, from_host, nothing, to_host, unknown
from tensorproof.libraries.python.copies import deep
from tensorproof.libraries.python.storage.path_text import text_of
from tensorproof.libraries.python.storage.paths import read_text
from tensorproof.libraries.python.storage.saved_values import dump, load
from tensorproof.libraries.settings.yaml_text import NotUnderstood, parse
from tensorproof.libraries.varying import varied
from tensorproof.terms import FLOAT64, Origin, TensorType
from tensorproof.values import NOWHERE, TEXT, Args, Dict, Key, Kwargs, List, Machine, Model, Unknown, Value, slot

if TYPE_CHECKING:
    import configparser

TEXTS: Key[tuple[str, ...]] = slot("texts")
OF: Key[Model] = slot("of")
NAME: Key[str] = slot("name")


def content(m: Machine, source: Value) -> str | None:
    """The text of an open file or of a path, None when it is not known."""
    if isinstance(source, Model) and source.kind == "io.StringIO":
        found = m.call(m.attribute(source, "read", NOWHERE), (), {}, NOWHERE)
        return found if isinstance(found, str) else None
    if isinstance(source, Model) and source.kind == "file":
        return read_text(m, source.space["path"])
    return read_text(m, source) if text_of(source) is not None else None


def _json(text: str | bytes) -> object:
    import json

    return json.loads(text)


def _toml(text: str) -> object:
    import tomllib

    return tomllib.loads(text)


def _parsed(m: Machine, text: Any, parser: Any, kind: str, node: ast.AST) -> Value:
    if not isinstance(text, (str, bytes)):
        return Unknown("data of a file")
    try:
        return varied(m, from_host(m, parser(text)), node)
    except NotUnderstood as reason:
        return m.gap("yaml", node, str(reason))
    except (ValueError, RecursionError) as error:
        raise m.raised(kind, f"{kind}: {error}", node, "python/value") from None


def _hooked(m: Machine, value: Value, kwargs: Kwargs, node: ast.AST) -> Value:
    """What `object_hook` makes of each object, the inner ones first."""
    hook, pairs = kwargs.get("object_hook"), kwargs.get("object_pairs_hook")
    if hook is None and pairs is None:
        return value

    def inner(one: Value) -> Value:
        if isinstance(one, List):
            return List(m.heap.row([inner(v) for v in one.items]))
        if not isinstance(one, Dict):
            return one
        held = {k: inner(v) for k, v in one.items.items()}
        given = Dict(m.heap.entries(held)) if pairs is None else List(m.heap.row(list(held.items())))
        return m.call(hook if pairs is None else pairs, (given,), {}, node)

    return inner(value)


def _loads(parser: Value, kind: str) -> Run:
    return lambda m, args, kwargs, node: _hooked(m, _parsed(m, argument(args, kwargs, 0, "s"), parser, kind, node), kwargs, node)


def _load(parser: Value, kind: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _hooked(m, _parsed(m, content(m, args[0] if args else kwargs.get("fp")), parser, kind, node), kwargs, node)


def _yaml(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    stream = argument(args, kwargs, 0, "stream")
    text = stream if isinstance(stream, str) else content(m, stream)
    return _parsed(m, text, parse, "YAMLError", node)


def _not_json(value: Value) -> TensorType | None:
    """A tensor or a number of NumPy in a value that json is to write; a float64 is a float of Python."""
    if isinstance(value, TensorType):
        number = value.framework == "numpy" and value.shape.known and not value.shape and value.dtype in (None, FLOAT64)
        return None if number else value
    items = value.items.values() if isinstance(value, Dict) else value.items if isinstance(value, List) else value if type(value) is tuple else ()
    return next((found for item in items if (found := _not_json(item)) is not None), None)


def _dumps(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    import json

    if kwargs.get("default") is not None or kwargs.get("cls") is not None:
        kwargs = {k: v for k, v in kwargs.items() if k not in ("default", "cls")}
        try:
            return json.dumps(to_host(args[0]), **{k: to_host(v) for k, v in kwargs.items()})
        except (Abstract, TypeError, ValueError):
            return TEXT
    refused = _not_json(args[0]) if args else None
    if refused is not None:
        raise m.raised("TypeError", f"json cannot write {refused!r}: write float(…), int(…) or tolist()", node)
    try:
        given = to_host(args[0]), {k: to_host(v) for k, v in kwargs.items()}
    except Abstract:
        return TEXT
    try:
        return json.dumps(given[0], **given[1])
    except (TypeError, ValueError) as error:
        raise m.raised(type(error).__name__, f"{type(error).__name__}: {error}", node) from None


def _ini(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    return Model("configparser.ConfigParser", m.heap.space({"texts": (), "known": True}))


def _ini_read(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Read a file of the project, or a text; what is not found may say anything."""
    text = args[0] if kwargs.get("text") else content(m, args[0])
    if not isinstance(text, str):
        m.heap.set(me.space, "known", False)
        return Unknown("names of files")
    m.heap.set(me.space, TEXTS, (*me.space[TEXTS], text))
    return from_host(m, [text_of(args[0]) or ""])


def _ini_host(me: Model) -> configparser.ConfigParser | None:
    import configparser

    if not me.space["known"]:
        return None
    host = configparser.ConfigParser()
    for text in me.space[TEXTS]:
        host.read_string(text)
    return host


def _ini_get(name: str, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    import configparser

    if "fallback" in kwargs and not isinstance(kwargs["fallback"], (str, int, float, bool, type(None))):
        return Unknown(name)
    try:
        host = _ini_host(me)
        if host is None or any(isinstance(a, Unknown) for a in args):
            return m.symbol(m.name_here("number", node), -(2**63), 2**63, Origin.USER) if name == "getint" else TEXT if name == "get" else Unknown(name)
        return from_host(m, getattr(host, name)(*args, **kwargs))
    except (configparser.Error, ValueError, KeyError) as error:
        raise m.raised(type(error).__name__, f"{type(error).__name__}: {error}", node, "python/key") from None


def _ini_section(m: Machine, me: Model, name: Value, node: ast.AST) -> Value:
    host = _ini_host(me)
    if host is None or not isinstance(name, str):
        return Unknown("a section")
    if name not in host:
        raise m.raised("KeyError", f"the configuration has no section {name}", node)
    return Model("configparser.Section", m.heap.space({"of": me, "name": name}))


def _section_get(name: str, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    named = {**({"fallback": None} if name == "get" else {}), **({"fallback": args[1]} if len(args) > 1 else {}), **kwargs}
    return _ini_get(name, m, me.space[OF], (me.space[NAME], args[0]), named, node)


def _section_pairs(m: Machine, me: Model) -> Dict:
    host = _ini_host(me.space[OF])
    return Dict(m.heap.entries(dict(host[me.space[NAME]]) if host is not None else {}))


def _section_items(name: str) -> Run:
    return lambda m, me, args, kwargs, node: m.call(m.attribute(_section_pairs(m, me), name, node), (), {}, node)


def _ini_items(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    host = _ini_host(me)
    if host is None or not args or not isinstance(args[0], str):
        return Unknown("items")
    if args[0] not in host:
        raise m.raised("NoSectionError", f"the configuration has no section {args[0]}", node, "python/key")
    return from_host(m, list(host.items(args[0])))


def _pickled(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Bytes, of which it is known what they hold."""
    made = Unknown("bytes", octets=True)
    m.model_state.setdefault("pickled", {})[id(made)] = made, deep(m, argument(args, kwargs, 0, "obj"), {0: None}, node)
    return made


def _unpickled(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    data = argument(args, kwargs, 0, "data")
    found = m.model_state.get("pickled", {}).get(id(data))
    return Unknown("a pickled object") if found is None or found[0] is not data else deep(m, found[1], {}, node)


FUNCTIONS: dict[str, Run] = {
    "configparser.ConfigParser": _ini, "configparser.RawConfigParser": _ini, "configparser.SafeConfigParser": _ini,
    "json.loads": _loads(_json, "JSONDecodeError"), "json.load": partial(load, "json", "fp", partial(_load, _json, "JSONDecodeError")), "json.dumps": _dumps,
    "json.dump": partial(dump, "json", "obj", "fp", nothing), "tomllib.loads": _loads(_toml, "TOMLDecodeError"),
    "tomllib.load": partial(_load, _toml, "TOMLDecodeError"),
    "toml.loads": _loads(_toml, "TomlDecodeError"), "toml.load": partial(_load, _toml, "TomlDecodeError"),
    "tomli.load": partial(_load, _toml, "TOMLDecodeError"),
    "tomli.loads": _loads(_toml, "TOMLDecodeError"),
    **{f"yaml.{name}": partial(load, "yaml", "stream", _yaml) for name in ("safe_load", "load", "full_load", "unsafe_load")},
    **{f"yaml.{name}": partial(dump, "yaml", "data", "stream", lambda m, a, k, n: TEXT) for name in ("dump", "safe_dump")},
    "pickle.load": partial(load, "pickle", "file", partial(unknown, "a pickled object")), "pickle.loads": _unpickled,
    "pickle.dump": partial(dump, "pickle", "obj", "file", nothing),
    "pickle.dumps": _pickled,
}  # fmt: skip
KINDS = {
    "configparser.ConfigParser": KindModel(
        methods={
            "read": _ini_read, "read_string": lambda m, me, a, k, n: _ini_read(m, me, a, {"text": True}, n), "read_file": _ini_read,
            **{name: partial(_ini_get, name) for name in ("get", "getint", "getfloat", "getboolean", "sections", "has_section", "has_option", "options")},
            "items": _ini_items,
        },
        item=_ini_section, open=True,
    ),
    "configparser.Section": KindModel(
        methods={
            **{name: partial(_section_get, name) for name in ("get", "getint", "getfloat", "getboolean")},
            **{name: _section_items(name) for name in ("keys", "values", "items")},
        },
        item=lambda m, me, name, n: m.item(_section_pairs(m, me), name.lower() if isinstance(name, str) else name, n),
        items=lambda m, me, node: list(_section_pairs(m, me).items), length=lambda m, me, node: len(_section_pairs(m, me).items), open=True,
    ),
}  # fmt: skip
