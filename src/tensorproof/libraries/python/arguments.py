"""argparse. The program's parser is written down as it is built; when it parses, a real parser of Python's own is made from those notes.

Command-line arguments are those after `--`; without any, every argument has its default, and a required one is the user's choice.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from tensorproof.libraries import Abstract, ClassModel, KindModel, Run, argument, from_host, listed, to_host
from tensorproof.libraries.python.core import texts
from tensorproof.libraries.python.host_parser import Given, Parser, PassedOn, RefusedLine, UnmodelledAction
from tensorproof.libraries.python.typing import namespace_attribute
from tensorproof.libraries.varying import any_of, any_whole, chosen_value, refuse_given, refuse_type, varies
from tensorproof.values import MISSING, REAL, Args, Class, Instance, Key, Kwargs, List, Machine, Model, Named, Native, Row, Space, Table, Unknown, Value, slot
from tensorproof.values.raised import Raised

BELOW: Key[Table[Model]] = slot("choices")
PLACE: Key[ast.AST] = slot("place")
GROUP: Key[tuple[str, Value] | None] = slot("group")
WORDS: Key[Callable[[str], str]] = slot("words")
NOTES: Key[Row] = slot("notes")
DEFAULTS: Key[Space] = slot("defaults")
SETTINGS: Key[Space] = slot("settings")
NAMES: Key[Args] = slot("names")
CHOICES: Key[Space] = slot("choices")
SAID: Key[Kwargs] = slot("said")
PARSER: Key[Model] = slot("parser")
_WORDS = ("store", "store_true", "store_false", "store_const", "append", "append_const", "count", "extend", "help", "version")
_QUIET = ("help", "metavar", "version", "deprecated")
_TYPES: dict[Value, Any] = {int: int, float: float, str: str, complex: complex}


def _parser(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    space = {"notes": m.heap.row(), "settings": m.heap.entries(kwargs), "defaults": m.heap.entries(), "place": node}
    made = Model("argparse.ArgumentParser", m.heap.space(space))
    parents = m.iterate(kwargs.get("parents", ()), node) or []
    for parent in parents:
        if isinstance(parent, Model) and "notes" in parent.space:
            notes, defaults = parent.space[NOTES], parent.space[DEFAULTS]
            made.space[NOTES].extend(notes)
            made.space[DEFAULTS].update(defaults)
    return made


def _note(m: Machine, me: Model, note: Value) -> None:
    home = me.space.get(PARSER, me)
    m.heap.touch(home.space[NOTES])
    home.space[NOTES].append(note)


def _add_argument(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if any(isinstance(a, Unknown) for a in args):
        m.gap("add_argument", node, "the name is not known")
        m.heap.set(me.space.get(PARSER, me).space, "open", True)
        return None
    spec = Model("argparse.Action", m.heap.space({"names": args, "said": dict(kwargs), "group": me.space.get("group"), "place": node}))
    _note(m, me, spec)
    trial = Parser(add_help=False)
    try:
        action = _added(m, trial, spec, node)
    except RefusedLine as refused:
        raise m.raised("TypeError", f"add_argument: {refused}", node) from None
    m.heap.set(spec.space, "dest", action.dest)
    if not args or (isinstance(args[0], str) and args[0][:1] == "-"):
        _conflict(m, me.space.get(PARSER, me), spec, node)
    return spec


def _conflict(m: Machine, parser: Model, spec: Model, node: ast.AST) -> None:
    """Two arguments with one flag are refused when the second is added."""
    if parser.space[SETTINGS].get("conflict_handler") == "resolve":
        return
    mine = {name for name in spec.space[NAMES] if isinstance(name, str)}
    earlier = [n for n in parser.space[NOTES] if isinstance(n, Model) and n.kind == "argparse.Action" and n is not spec]
    taken = {name for one in earlier for name in one.space[NAMES] if isinstance(name, str) and name.startswith("-")}
    if parser.space[SETTINGS].get("add_help", True) is not False:
        taken |= {"-h", "--help"}
    if mine & taken:
        raise m.raised("ArgumentError", f"two arguments are called {', '.join(sorted(mine & taken))}", node, "python/arguments")


def _exclusive(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    number = m.name_here("group", node), kwargs.get("required", False)
    return Model("argparse.Group", m.heap.space({"parser": me.space.get(PARSER, me), "group": number}))


def _set_defaults(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    for name, value in kwargs.items():
        m.heap.set(me.space[DEFAULTS], name, value)


def _get_default(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if args[0] in me.space[DEFAULTS]:
        return me.space[DEFAULTS][args[0]]
    for note in me.space[NOTES]:
        if isinstance(note, Model) and note.space.get("dest") == args[0]:
            return note.space[SAID].get("default")
    return None


def _subparsers(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    made = Model("argparse.Subparsers", m.heap.space({"said": dict(kwargs), "choices": m.heap.entries(), "place": node}))
    _note(m, me, made)
    return made


def _add_parser(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    made = _parser(m, (), {k: v for k, v in kwargs.items() if k != "aliases"}, node)
    aliases = m.iterate(kwargs.get("aliases", ()), node) or []
    for name in (argument(args, kwargs, 0, "name"), *aliases):
        m.heap.set(me.space[CHOICES], name, made)
    return made


def _converter(m: Machine, function: Value, node: ast.AST) -> Value:
    """A `type=` of the program as a function of Python's own parser."""
    known = _TYPES.get(function) if isinstance(function, type) else None
    if known is not None:
        return known

    def convert(text: str) -> Value:
        m.handlers += 1
        try:
            found = m.call(function, (text,), {}, node)
        except Raised as raised:
            if any(m.catches(raised, kind, node) for kind in (ValueError, TypeError, Named("argparse.ArgumentTypeError"))):
                raise argparse.ArgumentTypeError(raised.message) from None
            raise
        finally:
            m.handlers -= 1
        return found if isinstance(found, (str, int, float, type(None))) else PassedOn(found)

    convert.__name__ = getattr(function, "name", getattr(function, "__name__", "type"))
    return convert


def _passed(value: Value, action: Value) -> Value:
    """A default or a constant for the real parser."""
    if action in ("append", "extend", "append_const") and isinstance(value, (List, tuple)):
        return [_passed(v, None) for v in (value.items if isinstance(value, List) else value)]
    if isinstance(value, Named) and value.name == "argparse.SUPPRESS":
        return argparse.SUPPRESS
    return value if isinstance(value, (str, int, float, bool, type(None))) else PassedOn(value)


def _added(m: Machine, parser: Any, note: Model, node: ast.AST) -> Any:
    said = {k: v for k, v in note.space[SAID].items() if k not in _QUIET}
    action = said.get("action")
    made: dict[str, Any] = {}
    for name, value in said.items():
        match name:
            case "action":
                if isinstance(value, Named) and value.name == "argparse.BooleanOptionalAction":
                    made[name] = argparse.BooleanOptionalAction
                elif isinstance(value, str) and value in _WORDS:
                    made[name] = value if value not in ("help", "version") else "store_true"
                elif isinstance(value, str):
                    raise RefusedLine(f"there is no action {value!r}")
                else:
                    made[name] = UnmodelledAction
            case "type":
                if value is not None:
                    if not isinstance(value, Unknown) and m.call(callable, (value,), {}, node) is False:
                        raise RefusedLine(f"the type {value!r} is not callable")
                    made[name] = _converter(m, value, node)
            case "choices":
                try:
                    made[name] = to_host(value) if not isinstance(value, Class) else None
                except Abstract:
                    found = m.iterate(value, node)
                    made[name] = None if found is None or not all(isinstance(v, (str, int, float)) for v in found) else found
            case "default" | "const":
                made[name] = _passed(value, action)
            case "nargs":
                made[name] = {"argparse.REMAINDER": argparse.REMAINDER, "argparse.OPTIONAL": "?"}.get(value.name) if isinstance(value, Named) else value
            case _:
                made[name] = value
    try:
        return parser.add_argument(*note.space[NAMES], **made)
    except (TypeError, ValueError, argparse.ArgumentError) as error:
        raise RefusedLine(str(error)) from None


def _host(m: Machine, me: Model, strict: bool, node: ast.AST) -> Any:
    """Python's own parser, from the notes. When nothing was given, required arguments become the user's choice."""
    settings = me.space[SETTINGS]
    kept: dict[str, Any] = {
        k: v for k, v in settings.items() if k in ("prog", "prefix_chars", "add_help", "allow_abbrev", "conflict_handler") and isinstance(v, (str, bool))
    }
    if isinstance(settings.get("argument_default"), Named):
        kept["argument_default"] = argparse.SUPPRESS
    parser = Parser(**kept)
    groups: dict[str, Value] = {}
    for note in (n for n in me.space[NOTES] if isinstance(n, Model)):
        place = note.space[PLACE]
        if note.kind == "argparse.Subparsers":
            said: dict[str, Any] = {k: v for k, v in note.space[SAID].items() if k in ("dest", "required", "title") and isinstance(v, (str, bool))}
            action: Any = parser.add_subparsers(**said, parser_class=Parser)
            for name, inner in note.space[BELOW].items():
                action._name_parser_map[name] = _host(m, inner, strict, node)
        else:
            home: Value = parser
            number = note.space[GROUP]
            if number is not None:
                home = groups.setdefault(number[0], None) or parser.add_mutually_exclusive_group(required=strict and number[1] is True)
                groups[number[0]] = home
            action = _added(m, home, note, place)
        chosen = note.kind != "argparse.Subparsers" and varies(m, action.dest, f"command-line argument {(action.option_strings or [action.dest])[-1]}")
        if chosen or (action.required and not strict):
            action.required = False
            if note.kind != "argparse.Subparsers":
                action.default = Given(action.dest, action)
    parser.set_defaults(**{k: _passed(v, None) for k, v in me.space[DEFAULTS].items() if not varies(m, k)})
    return parser


def _switch(m: Machine, name: str, node: ast.AST) -> Value:
    """What a switch of the command line is: each answer is one that somebody gives."""
    made = m.open_truth(name, node)
    m.path.asked[made.args[0]] = f"--{name}"
    return made


def _given(m: Machine, given: Given, node: ast.AST) -> Value:
    action = given.kind
    if (value := chosen_value(m, given.name)) is not MISSING:
        refuse_type(m, given.name, value, action.type)
        return value
    if action.nargs == 0 or isinstance(action, argparse.BooleanOptionalAction):
        return _switch(m, given.name, node) if isinstance(action.const, (bool, type(None))) else Unknown(f"the argument {given.name}")
    if action.choices and action.nargs is None:
        return any_of(m, given.name, list(action.choices), node)
    words = action.type in (None, str)
    one = Unknown(f"the argument {given.name}", text=words, key=f"the argument {given.name}" if words else "")
    if words and action.nargs in ("+", "*"):
        return texts(m, node)
    if action.nargs is None and action.type is int:
        return any_whole(m, given.name)
    if action.nargs is None and action.type is float:
        return REAL
    if isinstance(action.nargs, int) and action.nargs > 0:
        return listed(m, [any_whole(m, f"{given.name}[{i}]") if action.type is int else one for i in range(action.nargs)])
    return one


def _program_value(m: Machine, value: Value, node: ast.AST) -> Value:
    match value:
        case Given():
            return _given(m, value, node)
        case PassedOn():
            return value.value
        case list():
            return listed(m, [_program_value(m, v, node) for v in value])
        case _:
            return from_host(m, value)


def _parse(known_only: bool, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    given, start = argument(args, kwargs, 0, "args"), argument(args, kwargs, 1, "namespace")
    explicit = given is not None
    if isinstance(given, Unknown):
        return m.gap("parse_args", node, "what it parses is not known")
    line = list(m.argv) if given is None else m.iterate(given, node)
    if line is None or not all(isinstance(word, str) for word in line):
        return m.gap("parse_args", node, "what it parses is not known")
    said = me.space.get(WORDS, str)
    try:
        parser = _host(m, me, strict=explicit or bool(line), node=node)
        found, rest = parser.parse_known_args(line)
    except RefusedLine as refused:
        return _refuse(m, said(str(refused)), line, node)
    except (TypeError, ValueError, argparse.ArgumentError) as error:
        return _refuse(m, said(str(error)), line, node)
    if rest and not known_only:
        return _refuse(m, said(f"unrecognized arguments: {' '.join(rest)}"), line, node)
    refuse_given(m, [k for k, v in vars(found).items() if not explicit and not isinstance(v, Given)] if m.directives.chosen else ())
    values = {k: _program_value(m, v, node) for k, v in vars(found).items()}
    if isinstance(start, Model):
        for name, value in values.items():
            if name not in start.space or value != parser.get_default(name):
                m.heap.set(start.space, name, value)
        result = start
    else:
        result = Model("argparse.Namespace", m.heap.entries(values))
        if me.space.get("open"):
            result = Model("argparse.Namespace of unknown arguments", result.space)
    return (result, listed(m, rest)) if known_only else result


def _refuse(m: Machine, sentence: str, line: list[str], node: ast.AST) -> Value:
    if any(word in ("-h", "--help") for word in line):
        raise m.raised("SystemExit", "the program prints its help and ends", node, "python/arguments")
    raise m.raised("SystemExit", f"the program refuses its command line: {sentence}", node, "python/arguments")


def _error(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    said = args[0] if args and isinstance(args[0], str) else "an error"
    raise m.raised("SystemExit", f"the program refuses its command line: {said}", node, "python/arguments" if m.argv else "python/raise")


def _own_init(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    me.native = _parser(m, args, kwargs, node)


def _own(run: Run, m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A method of a class of the program that is a parser."""
    if me.native is None:
        _own_init(m, me, (), {}, node)
    return run(m, me.native, args, kwargs, node)


_ADDING: dict[str, Run] = {
    "add_argument": _add_argument,
    "add_argument_group": lambda m, me, a, k, n: Model("argparse.Group", m.heap.space({"parser": me.space.get(PARSER, me), "group": me.space.get("group")})),
    "add_mutually_exclusive_group": _exclusive, "set_defaults": _set_defaults,
}  # fmt: skip
_PARSER: dict[str, Run] = {
    **_ADDING, "parse_args": partial(_parse, False), "parse_known_args": partial(_parse, True), "add_subparsers": _subparsers, "get_default": _get_default,
    "parse_intermixed_args": partial(_parse, False), "error": _error,
}  # fmt: skip


def _set_action(m: Machine, me: Model, name: str, value: Value, node: ast.AST) -> None:
    """`parser.add_argument(...).completer = …` and changed defaults."""
    said = me.space[SAID]
    m.heap.set(me.space, SAID, {**said, name: value} if name in ("default", "required", "choices") else said)


FUNCTIONS: dict[str, Any] = {
    "argparse.ArgumentParser": _parser,
    "argparse.Namespace": lambda m, a, k, n: Model("argparse.Namespace", m.heap.entries(k)),
    "argparse.FileType": lambda m, a, k, n: Native("FileType", lambda machine, inner, named, at: machine.call(open, (inner[0], *a[:1]), {}, at)),
}  # fmt: skip
KINDS = {
    "argparse.ArgumentParser": KindModel(methods=_PARSER, open=True),
    "argparse.Group": KindModel(methods={k: v for k, v in _ADDING.items() if k != "set_defaults"}, open=True),
    "argparse.Subparsers": KindModel(methods={"add_parser": _add_parser}, open=True),
    "argparse.Action": KindModel(
        attribute=lambda m, me, name, n: me.space[SAID].get(name, Unknown(name)) if name not in me.space else MISSING, set_attribute=_set_action
    ),
    "argparse.Namespace": KindModel(
        attribute=partial(namespace_attribute, "command line"),
        items=lambda m, me, n: list(me.space),
        methods={"_get_kwargs": lambda m, me, a, k, n: listed(m, list(me.space.items()))},
    ),
    "argparse.Namespace of unknown arguments": KindModel(open=True, bases=("argparse.Namespace",)),
}
CLASSES = {
    "argparse.Action": ClassModel("argparse.Action", closed=False),
    "argparse.ArgumentParser": ClassModel(
        "argparse.ArgumentParser", init=_own_init, methods={name: partial(_own, run) for name, run in _PARSER.items()}, closed=False
    ),
}
