"""absl, click and fire: other ways to make a command line. Each becomes a parser of `argparse`, whose model reads the program's arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, argument, listed
from tensorproof.libraries.python.arguments import FUNCTIONS as ARGPARSE
from tensorproof.libraries.python.arguments import KINDS as PARSERS
from tensorproof.libraries.varying import any_like, any_whole, varies
from tensorproof.values import MISSING, NOWHERE, TEXT, Args, Dict, Function, Key, Kwargs, List, Machine, Model, Named, Native, Space, Unknown, Value, slot

PARSED: Key[Model | Unknown | None] = slot("values")
ACTIONS: Key[Space] = slot("actions")
PARSER: Key[Model] = slot("parser")
SAID: Key[Kwargs] = slot("said")
GIVEN: Key[Space] = slot("set")
NOTES: Key[tuple[Any, ...]] = slot("notes")


def _parser(m: Machine, words: Callable[[str], str], node: ast.AST) -> Model:
    """A parser that complains in another library's words."""
    made: Model = ARGPARSE["argparse.ArgumentParser"](m, (), {}, node)
    m.heap.set(made.space, "words", words)
    return made


def _add(m: Machine, parser: Model, names: Args, said: Kwargs, node: ast.AST) -> Value:
    return PARSERS["argparse.ArgumentParser"].methods["add_argument"](m, parser, names, said, node)


def _parse(m: Machine, parser: Model, words: Value, node: ast.AST, method: str = "parse_args") -> Any:
    return PARSERS["argparse.ArgumentParser"].methods[method](m, parser, () if words is None else (words,), {}, node)


_SENTENCES = {
    "unknown": re.compile(r"unrecognized arguments: (?P<name>\S+)"),
    "missing": re.compile(r"the following arguments are required: (?P<name>[^,]+)"),
    "type": re.compile(r"argument (?P<name>[^:]+): invalid (?P<type>\S+) value: '(?P<value>.*)'"),
    "choice": re.compile(r"argument (?P<name>[^:]+): invalid choice: '?(?P<value>.*?)'? \(choose from (?P<choices>.*)\)"),
    "valueless": re.compile(r"argument (?P<name>[^:]+): expected .*argument"),
}


def _in_words(templates: dict[str, Callable[[dict[str, str]], str]], sentence: str) -> str:
    """The sentences of argparse as another library has them."""
    for kind, pattern in _SENTENCES.items():
        found = pattern.fullmatch(sentence) or (pattern.match(sentence) if kind in ("unknown", "missing") else None)
        if found is not None and kind in templates:
            parts = found.groupdict()
            return templates[kind]({**parts, "name": parts["name"].split("/")[-1]})
    return sentence


_CLICK_KINDS = {"int": "integer", "float": "float"}
CLICK = partial(_in_words, {
    "unknown": lambda p: f"No such option: {p['name']}" if p["name"].startswith("-") else f"Got unexpected extra argument ({p['name']})",
    "missing": lambda p: f"Missing option '{p['name']}'." if p["name"].startswith("-") else f"Missing argument '{p['name'].upper()}'.",
    "type": lambda p: f"Invalid value for '{p['name']}': '{p['value']}' is not a valid {_CLICK_KINDS.get(p['type'], p['type'])}.",
    "choice": lambda p: f"Invalid value for '{p['name']}': '{p['value']}' is not one of {p['choices']}.",
    "valueless": lambda p: f"Option '{p['name']}' requires an argument.",
})  # fmt: skip
ABSL = partial(_in_words, {
    "unknown": lambda p: f"Unknown command line flag '{p['name'].lstrip('-').partition('=')[0]}'",
    "missing": lambda p: f"Flag {p['name']} must have a value other than None.",
    "type": lambda p: f"flag {p['name']}={p['value']}: {p['value']!r} is not a {p['type']}",
    "choice": lambda p: f"flag {p['name']}={p['value']}: value should be one of <{p['choices'].replace(', ', '|').replace(chr(39), '')}>",
    "valueless": lambda p: f"Missing value for flag {p['name']}",
})  # fmt: skip


def _flags(m: Machine) -> Model:
    if "absl.flags" not in m.model_state:
        space = m.heap.space({"parser": _parser(m, ABSL, NOWHERE), "values": None, "set": m.heap.space(), "actions": m.heap.space()})
        m.model_state["absl.flags"] = Model("absl.flags.FlagValues", space)
    return m.model_state["absl.flags"]  # type: ignore[no-any-return]


def _define(kind: Value, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    name, default = argument(args, kwargs, 0, "name"), argument(args, kwargs, 1, "default")
    flags = _flags(m)
    if not isinstance(name, str):
        m.gap("absl.flags", node, "the name of a flag is not known")
        return flags
    said: dict[str, Value] = {"default": default, "dest": name}
    if kind is bool:
        said["action"] = Named("argparse.BooleanOptionalAction")
    elif kind is list:
        said["type"] = Native("list", lambda mm, a, k, n: listed(mm, a[0].split(",") if isinstance(a[0], str) else []))
    elif isinstance(kind, tuple):
        said |= {"type": kind[0], "action": "append"}
    elif kind is not None:
        said["type"] = kind
    if kwargs.get("required") is True:
        said["required"] = True
    if kind is None and len(args) > 2 and not isinstance(args[2], str):
        said["choices"] = args[2]
    m.heap.set(flags.space[ACTIONS], name, _add(m, flags.space[PARSER], (f"--{name}",), said, node))
    return Model("absl.flags.FlagHolder", m.heap.space({"name": name}))


def _required(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """mark_flag_as_required, mark_flags_as_required: the user gives them."""
    given = args[0] if args else next(iter(kwargs.values()), None)
    actions = _flags(m).space[ACTIONS]
    for name in given.items if isinstance(given, List) else given if isinstance(given, tuple) else (given,):
        action = actions.get(name) if isinstance(name, str) else None
        if isinstance(action, Model) and "said" in action.space:
            said = action.space[SAID]
            m.heap.set(action.space, SAID, {**said, "required": True})


def _flag(m: Machine, name: str, node: ast.AST) -> Value:
    flags = _flags(m)
    if name in flags.space[GIVEN]:
        return flags.space[GIVEN][name]
    if flags.space[PARSED] is None:
        m.heap.set(flags.space, PARSED, _parse(m, flags.space[PARSER], None, node))
    values = flags.space[PARSED]
    if isinstance(values, Unknown):
        return values
    if values is None or name not in values.space:
        raise m.raised("AttributeError", f"there is no flag {name}", node)
    return values.space[name]


def _names(m: Machine, node: ast.AST) -> Any:
    """The flags that the program defined; what libraries define beside them is not listed."""
    values = _flags(m).space[PARSED]
    if values is None:
        values = _parse(m, _flags(m).space[PARSER], None, node)
    return None if isinstance(values, Unknown) else [k for k in values.space if isinstance(k, str)]


def _all_flags(m: Machine, node: ast.AST) -> Value:
    """`FLAGS.__flags`, `flag_values_dict()`: the program's flags, among those of the libraries."""
    names = _names(m, node)
    return Unknown("flags") if names is None else Dict(m.heap.entries({n: _flag(m, n, node) for n in names}))


def _get_value(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name, names = argument(args, kwargs, 0, "name"), _names(m, node)
    if not isinstance(name, str) or names is None:
        return Unknown("flag")
    return _flag(m, name, node) if name in names else argument(args, kwargs, 1, "default")


_FLAG_METHODS: dict[str, Any] = {
    "flag_values_dict": lambda m, a, k, n: _all_flags(m, n), "get_flag_value": _get_value, "is_parsed": lambda m, a, k, n: True,
    **dict.fromkeys(("mark_as_parsed", "append_flags_into_file", "unparse_flags", "validate_all_flags", "set_gnu_getopt"), lambda m, a, k, n: None),
    **dict.fromkeys(("flags_into_string", "get_help", "main_module_help", "module_help"), lambda m, a, k, n: TEXT),
    **dict.fromkeys(("flags_by_module_dict", "get_key_flags_for_module", "find_module_defining_flag"), lambda m, a, k, n: Unknown("flags")),
}  # fmt: skip


def _flag_attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name in ("__flags", "__dict__", "_flags"):
        return _all_flags(m, node) if name == "__flags" else Unknown("flags")
    if name in _FLAG_METHODS and name not in (_names(m, node) or ()):
        return Native(f"absl.flags.FlagValues.{name}", _FLAG_METHODS[name])
    return _flag(m, name, node)


def _flag_item(m: Machine, me: Model, index: Value, node: ast.AST) -> Value:
    """`FLAGS["lr"]` is the flag, which holds its value."""
    if not isinstance(index, str):
        return m.gap("FLAGS[…]", node, "the name of a flag is not known")
    _flag(m, index, node)
    return Model("absl.flags.FlagHolder", m.heap.space({"name": index}))


def _set_flag(m: Machine, me: Model, name: str, value: Value, node: ast.AST) -> None:
    m.heap.set(me.space[GIVEN], name, value)


def _run_app(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The flags are read first; what is no flag is handed to the program's main."""
    flags = _flags(m)
    found = _parse(m, flags.space[PARSER], None, node, "parse_known_args")
    rest: list[Value] = []
    if isinstance(found, tuple):
        m.heap.set(flags.space, PARSED, found[0])
        rest = list(found[1].items)
        wrong = next((word for word in rest if isinstance(word, str) and word.startswith("-")), None)
        if wrong is not None and argument(args, kwargs, 1, "argv") is None:
            raise m.raised("SystemExit", f"the program refuses its command line: {ABSL(f'unrecognized arguments: {wrong}')}", node, "python/arguments")
    main = argument(args, kwargs, 0, "main")
    if main is None:  # tf.app.run() calls the main of the program
        main = m.main.space.get("main")
    m.call(main, (listed(m, [m.main_path, *rest]),), {}, node)
    ended = m.raised("SystemExit", "the program ends here", node)
    ended.quiet = True
    raise ended


_CLICK_TYPES = {"click.INT": int, "click.FLOAT": float, "click.STRING": str, "click.BOOL": bool}


def _option(positional: bool, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Native:
    """`@click.option(...)` and `@click.argument(...)`: notes on a function, the last one first."""

    def decorate(machine: Machine, inner: Args, named: Kwargs, at: Value) -> Model:
        command = inner[0]
        if not (isinstance(command, Model) and command.kind == "click.Command"):
            command = Model("click.Command", machine.heap.space({"function": command, "notes": ()}))
        machine.heap.set(command.space, NOTES, ((positional, args, kwargs, node), *command.space[NOTES]))
        return command

    return Native("click.option", decorate)


def _command(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    def decorate(machine: Machine, inner: Args, named: Kwargs, at: Value) -> Model:
        command = inner[0]
        if isinstance(command, Model) and command.kind == "click.Command":
            return command
        return Model("click.Command", machine.heap.space({"function": command, "notes": ()}))

    return decorate(m, args, {}, node) if args and isinstance(args[0], (Function, Model)) else Native("click.command", decorate)


def _noted(m: Machine, parser: Model, note: Any) -> None:
    positional, names, said, node = note
    made: dict[str, Value] = {k: v for k, v in said.items() if k in ("default", "required", "nargs")}
    kind = said.get("type")
    if isinstance(kind, Model) and kind.kind == "click.Choice":
        made["choices"] = kind.space["choices"]
    elif isinstance(kind, (type, Function)):
        made["type"] = kind
    elif isinstance(kind, Named):
        made["type"] = _CLICK_TYPES.get(kind.name, str)
    elif isinstance(said.get("default"), (int, float)) and not isinstance(said.get("default"), bool):
        made["type"] = type(said["default"])
    if positional:
        made.pop("required", None)
        if "default" in said or said.get("required") is False:
            made["nargs"] = "?"
        if made.get("nargs") == -1:
            made["nargs"] = "*"
        _add(m, parser, (names[0].lower().replace("-", "_"),), made, node)
        return
    flags = [n for n in names if n.startswith("-")]
    dest = next((n for n in names if n.isidentifier()), None)
    if dest is not None:
        made["dest"] = dest
    if any("/" in n for n in flags):
        on, _, off = next(n for n in flags if "/" in n).partition("/")
        made["dest"] = made.get("dest", on.strip().lstrip("-").replace("-", "_"))
        default = said.get("default", False)
        _add(m, parser, (on.strip(),), {"action": "store_true", "dest": made["dest"], "default": default}, node)
        _add(m, parser, (off.strip(),), {"action": "store_false", "dest": made["dest"], "default": default}, node)
        return
    if said.get("is_flag") is True:
        made = {"action": "store_true", "default": said.get("default", False), **({"dest": dest} if dest else {})}
    if said.get("multiple") is True:
        made["action"] = "append"
        made.setdefault("default", ())
    flags.sort(key=lambda n: not n.startswith("--"))
    _add(m, parser, tuple(flags), made, node)


def _run_command(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    parser = _parser(m, CLICK, node)
    for note in me.space[NOTES]:
        _noted(m, parser, note)
    found = _parse(m, parser, args[0] if args else kwargs.get("args"), node)
    if isinstance(found, Unknown):
        return found
    m.call(me.space["function"], (), dict(found.space), node)
    if kwargs.get("standalone_mode") is False:
        return None
    ended = m.raised("SystemExit", "the program ends here", node)
    ended.quiet = True
    raise ended


def _literal(text: str) -> Value:
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    return found if isinstance(found, (int, float, str, bool, type(None))) else text


def _fire(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    target = argument(args, kwargs, 0, "component")
    if not isinstance(target, Function):
        return m.gap("fire.Fire", node, "of something that is not a function of the program")
    named: dict[str, Value] = {}
    places: list[Value] = []
    words = list(m.argv)
    while words:
        word = words.pop(0)
        if word.startswith("--"):
            name, sign, text = word[2:].partition("=")
            if not sign:
                text = words.pop(0) if words and not words[0].startswith("--") else "True"
            named[name.replace("-", "_")] = _literal(text)
        else:
            places.append(_literal(word))
    parameters = target.code.node.args
    required = [*parameters.posonlyargs, *parameters.args]
    required = required[: len(required) - len(target.defaults)]
    for at, parameter in enumerate(required):
        if at >= len(places) and parameter.arg not in named and not m.argv:
            whole = isinstance(parameter.annotation, ast.Name) and parameter.annotation.id == "int"
            named[parameter.arg] = any_whole(m, parameter.arg) if whole else Unknown(f"the argument {parameter.arg}")
    defaults = dict(zip([p.arg for p in (*parameters.posonlyargs, *parameters.args)][-len(target.defaults) :] if target.defaults else [], target.defaults))
    for at, (name, default) in enumerate({**defaults, **target.keyword_defaults}.items(), len(required)):
        if at >= len(places) and name not in named and varies(m, name, f"argument of {target.name} on the command line"):
            named[name] = any_like(m, name, default, node)
    if m.argv:
        _refused_by_fire(m, target, places, named, node)
    return m.call(target, tuple(places), named, node)


def _refused_by_fire(m: Machine, target: Function, places: list[Value], named: Kwargs, node: ast.AST) -> None:
    """Say what fire would say of arguments that the function does not take."""
    parameters = target.code.node.args
    positional = [p.arg for p in (*parameters.posonlyargs, *parameters.args)]
    known = {*positional, *(p.arg for p in parameters.kwonlyargs)}
    said = next((f"Could not consume arg: --{name}" for name in named if name not in known and parameters.kwarg is None), None)
    if said is None and len(places) > len(positional) and parameters.vararg is None:
        said = f"Could not consume arg: {places[len(positional)]}"
    missing = [n for n in positional[len(places) : len(positional) - len(target.defaults)] if n not in named]
    if said is None and missing:
        said = f"The function received no value for the required argument: {missing[0]}"
    if said is not None:
        raise m.raised("SystemExit", f"the program refuses its command line: {said}", node, "python/arguments")


_DEFINES: dict[str, Any] = {
    "DEFINE_integer": int, "DEFINE_float": float, "DEFINE_string": str, "DEFINE_bool": bool, "DEFINE_boolean": bool, "DEFINE_list": list, "DEFINE_enum": None,
    "DEFINE_multi_integer": (int,), "DEFINE_multi_float": (float,), "DEFINE_multi_string": (str,),
}  # fmt: skip
FUNCTIONS: dict[str, Run] = {
    **{f"absl.flags.{name}": partial(_define, kind) for name, kind in _DEFINES.items()}, "absl.app.run": _run_app,
    "absl.flags.mark_flag_as_required": _required,
    "absl.flags.mark_flags_as_required": _required, "click.option": partial(_option, False), "click.argument": partial(_option, True),
    "click.command": _command,
    "click.Choice": lambda m, a, k, n: Model("click.Choice", m.heap.space({"choices": argument(a, k, 0, "choices")})),
    "fire.Fire": _fire, "click.Path": lambda m, a, k, n: str,
    "click.File": lambda m, a, k, n: str, "click.IntRange": lambda m, a, k, n: int, "click.FloatRange": lambda m, a, k, n: float,
}  # fmt: skip
VALUES: dict[str, Run] = {"absl.flags.FLAGS": _flags}
KINDS = {
    "absl.flags.FlagValues": KindModel(
        attribute=_flag_attribute,
        item=_flag_item,
        set_attribute=_set_flag,
        items=lambda m, me, node: _names(m, node),
        call=lambda m, me, a, k, n: a[0] if a else None,
    ),
    "absl.flags.FlagHolder": KindModel(attribute=lambda m, me, name, node: _flag(m, me.space["name"], node) if name == "value" else MISSING),
    "click.Command": KindModel(
        call=_run_command, methods={"main": _run_command}, attribute=lambda m, me, name, node: me.space["function"] if name == "callback" else MISSING
    ),
    "click.Choice": KindModel(),
}
