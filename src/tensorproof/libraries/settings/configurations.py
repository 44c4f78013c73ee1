"""OmegaConf and Hydra: configurations with attributes, from the program, from files of the project, from its store and from the command line."""

from __future__ import annotations

import ast
import os.path
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, argument, from_host
from tensorproof.libraries.python.classes import FUNCTIONS as DATACLASSES
from tensorproof.libraries.python.storage.files import content
from tensorproof.libraries.python.storage.paths import read_text
from tensorproof.libraries.settings.yaml_text import NotUnderstood, parse, scalar
from tensorproof.libraries.varying import refuse_given, varied
from tensorproof.values import MISSING, TEXT, Args, Class, Dict, Instance, Kwargs, List, Machine, Model, Native, Unknown, Value

CONFIG = "omegaconf.DictConfig"


def _config(m: Machine, value: Value) -> Value:
    """The program's dicts as configurations, at every depth."""
    match value:
        case Dict():
            return Model(CONFIG, m.heap.entries({k: _config(m, v) for k, v in value.items.items()}))
        case List():
            return List(m.heap.row([_config(m, v) for v in value.items]))
        case tuple():
            return List(m.heap.row([_config(m, v) for v in value]))
        case _:
            return value


def _plain(m: Machine, root: Value, value: Value, resolve: bool, node: ast.AST) -> Value:
    match value:
        case Model() if value.kind == CONFIG:
            return Dict(m.heap.entries({k: _plain(m, root, v, resolve, node) for k, v in value.space.items() if k != "*root*"}))
        case List():
            return List(m.heap.row([_plain(m, root, v, resolve, node) for v in value.items]))
        case str() if resolve:
            return _resolved(m, root, value, node)
        case _:
            return value


def _resolved(m: Machine, root: Value, value: Value, node: ast.AST) -> Value:
    """A text with `${…}` in it."""
    if not isinstance(value, str) or "${" not in value:
        return value
    if value.startswith("${") and value.endswith("}") and value.count("${") == 1 and ":" not in value:
        path = value[2:-1]
        if not path.startswith("."):
            return _at(m, root, path, node)
    return TEXT


def _at(m: Machine, root: Value, path: str, node: ast.AST, otherwise: Value = MISSING) -> Value:
    value = root
    for word in path.split("."):
        if isinstance(value, Model) and word in value.space:
            value = value.space[word]
        elif isinstance(value, List) and word.isdigit() and int(word) < len(value.items):
            value = value.items[int(word)]
        elif otherwise is not MISSING:
            return otherwise
        else:
            raise m.raised("InterpolationKeyError", f"the configuration has no {path}", node, "python/key")
    return _resolved(m, root, value, node)


def _root(m: Machine, me: Model) -> Model:
    return m.model_state.get(("config", id(me.space)), me)  # type: ignore[no-any-return]


def _rooted(m: Machine, root: Model) -> Model:
    """Remember to which configuration the inner ones belong: interpolations begin there."""

    def walk(value: Value) -> None:
        if isinstance(value, Model) and value.kind == CONFIG:
            m.model_state[("config", id(value.space))] = root
            for one in value.space.values():
                walk(one)
        elif isinstance(value, List):
            for one in value.items:
                walk(one)

    walk(root)
    return root


def _value(m: Machine, me: Model, name: Value, node: ast.AST) -> Value:
    found = me.space[name]
    if found == "???" and isinstance(found, str):
        raise m.raised("MissingMandatoryValue", f"the configuration needs a value for {name}", node, "python/value")
    return _resolved(m, _root(m, me), found, node)


def _attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name in me.space:
        return _value(m, me, name, node)
    if name.startswith("__"):
        return Unknown(name)
    raise m.raised("AttributeError", f"the configuration has no {name}", node)


def _item(m: Machine, me: Model, name: Value, node: ast.AST) -> Value:
    if isinstance(name, Unknown):
        return Unknown("a value of the configuration")
    if name not in me.space:
        raise m.raised("KeyError", f"the configuration has no {name!r}", node)
    return _value(m, me, name, node)


def _set(m: Machine, me: Model, name: Value, value: Value, node: ast.AST) -> None:
    if isinstance(name, Unknown):
        m.gap("a configuration", node, "a name is not known")
        return
    m.heap.set(me.space, name, _config(m, value))
    _rooted(m, _root(m, me))


def _get(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if isinstance(args[0], Unknown):
        return Unknown("a value of the configuration")
    return _value(m, me, args[0], node) if args[0] in me.space else argument(args, kwargs, 1, "default_value")


def _listing(which: str, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> List:
    pairs = [(k, _value(m, me, k, node)) for k in me.space]
    return List(m.heap.row({"keys": [k for k, _ in pairs], "values": [v for _, v in pairs], "items": pairs}[which]))


def _pop(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if args[0] in me.space:
        found = _value(m, me, args[0], node)
        m.heap.delete(me.space, args[0])
        return found
    if len(args) > 1:
        return args[1]
    raise m.raised("KeyError", f"the configuration has no {args[0]!r}", node)


def _create(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    given = argument(args, kwargs, 0, "obj")
    if given is None:
        return _rooted(m, Model(CONFIG, m.heap.entries()))
    if isinstance(given, str):
        given = _parsed(m, given, node)
    if isinstance(given, Class):
        given = m.call(given, (), {}, node)
    if isinstance(given, Instance):
        given = DATACLASSES["dataclasses.asdict"](m, (given,), {}, node)
    if isinstance(given, Model) and given.kind == CONFIG:
        return given
    if isinstance(given, Unknown):
        return given
    made = _config(m, given)
    return _rooted(m, made) if isinstance(made, Model) else made


def _parsed(m: Machine, text: str, node: ast.AST, inside: str = "") -> Value:
    try:
        found = parse(text)
    except NotUnderstood as reason:
        return m.gap("yaml", node, str(reason))
    except ValueError as error:
        raise m.raised("YAMLError", f"YAMLError: {error}", node, "python/value") from None
    return varied(m, from_host(m, {} if found is None else found), node, inside)


def _load(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    text = content(m, args[0])
    return m.gap("OmegaConf.load", node, "the file is not found") if text is None else _create(m, (_parsed(m, text, node),), {}, node)


def _merged(m: Machine, a: Value, b: Value) -> Any:
    if isinstance(a, Model) and isinstance(b, Model) and a.kind == b.kind == CONFIG:
        made = dict(a.space)
        for name, value in b.space.items():
            made[name] = _merged(m, made[name], value) if name in made else value
        return Model(CONFIG, m.heap.entries(made))
    return b


def _merge(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    parts = [_create(m, (a,), {}, node) for a in args]
    if any(isinstance(p, Unknown) for p in parts):
        return m.gap("OmegaConf.merge", node, "a configuration is not known")
    whole = Model(CONFIG, m.heap.entries())
    for part in parts:
        whole = _merged(m, whole, part)
    return _rooted(m, whole)


def _to_container(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    value = args[0]
    root = _root(m, value) if isinstance(value, Model) else value
    return _plain(m, root, value, kwargs.get("resolve", False) is True, node)


def _dotted(m: Machine, words: Any, node: ast.AST) -> Value:
    """`a.b=1` and its like as a configuration; None when a word is none."""
    made: dict[str, Any] = {}
    for word in words:
        name, sign, text = word.lstrip("+").partition("=")
        if not sign:
            return None
        home = made
        *path, last = name.split(".")
        for one in path:
            home = home.setdefault(one, {})
        try:
            home[last] = parse(text) if text[:1] in ("[", "{") else scalar(text)
        except (NotUnderstood, ValueError):
            home[last] = text
    return _create(m, (from_host(m, made),), {}, node)


def _from_words(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    words = m.argv if not args or args[0] is None else m.iterate(args[0], node)
    found = None if words is None or not all(isinstance(w, str) for w in words) else _dotted(m, words, node)
    return m.gap("OmegaConf.from_cli", node, "its words are not known") if found is None else found


def _select(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if not isinstance(args[1], str) or not isinstance(args[0], Model):
        return Unknown("a value of the configuration")
    return _at(m, args[0], args[1], node, kwargs.get("default"))


def _main(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Native:
    folder, name = argument(args, kwargs, 0, "config_path"), argument(args, kwargs, 1, "config_name")

    def decorate(machine: Machine, inner: Args, named: Kwargs, at: Value) -> Native:
        def run(mm: Machine, given: Args, kept: Kwargs, place: Any) -> Any:
            if given:
                return mm.call(inner[0], given, kept, place)
            return mm.call(inner[0], (_composed(mm, folder, name, place),), {}, place)

        return Native(getattr(inner[0], "name", "main"), run)

    return Native("hydra.main", decorate)


def _composed(m: Machine, folder: Value, name: Value, node: ast.AST) -> Value:
    """The configuration of a run: the file, its defaults list, and what the command line changes."""
    groups: dict[str, str] = {}
    if name is None:
        whole: Value = Model(CONFIG, m.heap.entries())
    else:
        if not isinstance(name, str) or not isinstance(folder, (str, type(None))):
            return m.gap("hydra.main", node, "the name of its configuration is not known")
        whole = _file(m, folder or ".", name, node, groups)
        if isinstance(whole, Unknown):
            return whole
    changes = _dotted(m, [word for word in m.argv if word.partition("=")[0] not in groups], node)
    refuse_given(m, _named_by(m.argv))
    if changes is None:
        return m.gap("hydra.main", node, "an argument does not change the configuration")
    return _rooted(m, _merged(m, whole, changes))


def _named_by(words: Any) -> set[str]:
    """The paths and last names that the words of a command line change."""
    paths = {word.lstrip("+").partition("=")[0] for word in words}
    return paths | {path.rpartition(".")[2] for path in paths}


def _file(m: Machine, folder: str, name: str, node: ast.AST, groups: dict[str, str], inside: str = "") -> Value:
    """A file with those of its defaults list. A word `group=choice` of the command line chooses another file of a group, which is noted in `groups`."""
    text = read_text(m, os.path.join(folder, name if name.endswith((".yaml", ".yml")) else f"{name}.yaml"))
    if text is None:
        kept = stored(m, name)
        return m.gap("hydra.main", node, f"the configuration {name} is not found") if kept is None else _create(m, (kept,), {}, node)
    own = _create(m, (_parsed(m, text, node, inside),), {}, node)
    if isinstance(own, Unknown):
        return own
    said = dict(word.split("=", 1) for word in m.argv if "=" in word)
    listed = own.space.pop("defaults", None)
    whole: Value = Model(CONFIG, m.heap.entries())
    entries = list(listed.items) if isinstance(listed, List) else []
    if "_self_" not in entries:
        entries.append("_self_")
    for entry in entries:
        if entry == "_self_":
            part = own
        elif isinstance(entry, str):
            part = _file(m, folder, entry, node, groups, inside)
        else:
            assert isinstance(entry, Model)
            group, chosen = next(iter(entry.space.items()))
            group = str(group).removeprefix("override ").removeprefix("optional ")
            if group.startswith("hydra") or not isinstance(chosen, str):
                continue
            if group in said:
                chosen = groups[group] = said[group]
            inner = _file(m, os.path.join(folder, group), chosen, node, groups, f"{inside}{group.replace('/', '.')}.")
            part = inner
            for word in reversed(group.split("/")):
                part = part if isinstance(part, Unknown) else Model(CONFIG, m.heap.entries({word: part}))
        if isinstance(part, Unknown):
            return part
        whole = _merged(m, whole, part)
    return whole


FUNCTIONS: dict[str, Run] = {
    "omegaconf.OmegaConf.create": _create, "omegaconf.DictConfig": _create, "omegaconf.OmegaConf.structured": _create, "omegaconf.OmegaConf.load": _load,
    "omegaconf.OmegaConf.merge": _merge, "omegaconf.OmegaConf.unsafe_merge": _merge, "omegaconf.OmegaConf.to_container": _to_container,
    "omegaconf.OmegaConf.to_object": _to_container, "omegaconf.OmegaConf.from_cli": _from_words, "omegaconf.OmegaConf.from_dotlist": _from_words,
    "omegaconf.OmegaConf.select": _select, "omegaconf.OmegaConf.is_config": lambda m, a, k, n: isinstance(a[0], Model) and a[0].kind == CONFIG,
    "hydra.main": _main,
}  # fmt: skip
KINDS = {
    CONFIG: KindModel(
        methods={"get": _get, "keys": partial(_listing, "keys"), "values": partial(_listing, "values"), "items": partial(_listing, "items"), "pop": _pop},
        attribute=_attribute,
        set_attribute=_set, item=_item, set_item=_set, items=lambda m, me, node: list(me.space), length=lambda m, me, node: len(me.space),
        truth=lambda m, me: bool(me.space), bases=("omegaconf.Container", "collections.abc.Mapping"),
    ),
}  # fmt: skip


KIND = "hydra.core.config_store.ConfigStore"
_STATE = "configurations stored"


def _store(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    name, given = argument(args, kwargs, 0, "name"), argument(args, kwargs, 1, "node")
    group = argument(args, kwargs, 2, "group")
    plain = isinstance(name, str) and group is None and isinstance(given, (Class, Instance, Dict)) and "package" not in kwargs
    if not plain:
        m.gap(f"{KIND}.store", node, "only whole configurations are followed")
    if isinstance(name, str) and group is None:
        m.model_state.setdefault(_STATE, {})[name.removesuffix(".yaml")] = given if plain else None


def stored(m: Machine, name: str) -> Value:
    """What the program keeps under a name; None where it keeps nothing that is followed."""
    found = m.model_state.get(_STATE, {}).get(name.removesuffix(".yaml"))
    return _followed(found) if found is not None else None


def _followed(given: Class | Instance | Dict) -> Value:
    """A stored configuration, unless it lists defaults: what they choose is not followed."""
    held = given.items if isinstance(given, Dict) else given.space
    return Unknown("a configuration with defaults") if "defaults" in held else given


FUNCTIONS |= {f"{KIND}.instance": lambda m, a, k, n: Model(KIND, m.heap.space()), KIND: lambda m, a, k, n: Model(KIND, m.heap.space())}
KINDS |= {KIND: KindModel(methods={"store": _store}, open=True)}
