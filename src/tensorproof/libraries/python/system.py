"""os, sys, time, datetime, logging, warnings, glob, shutil, uuid, threading, subprocess: the world around a program, as far as a model can know it."""

from __future__ import annotations

import ast
import os
from functools import partial
from typing import Any

from tensorproof.libraries import ClassModel, KindModel, Run, argument, listed, some_iterations
from tensorproof.libraries.python.callbacks import warned
from tensorproof.libraries.python.core import texts
from tensorproof.libraries.python.storage.path_text import text_of
from tensorproof.libraries.python.storage.saved_values import moved, writing
from tensorproof.terms import Outputs, replace
from tensorproof.values import MISSING, TEXT, WHOLE, Args, Dict, Key, Kwargs, List, Machine, Model, Named, Native, Space, Unknown, Value, slot

SETTINGS: Key[Space] = slot("set")
CHANGED: Key[bool] = slot("changed")


def _import_module(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name, package = argument(args, kwargs, 0, "name"), argument(args, kwargs, 1, "package")
    if isinstance(name, str) and name.startswith(".") and isinstance(package, str):
        level = len(name) - len(name.lstrip("."))
        parts = package.split(".")
        name = ".".join([*parts[: len(parts) - level + 1], name.lstrip(".")]).rstrip(".") if level <= len(parts) else None
    if not isinstance(name, str) or name.startswith("."):
        return m.gap("importlib.import_module", node, "the module is not known")
    return m.module(name, node)


def _names(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> List:
    """Names of files: some, which are unknown."""
    return texts(m, node)


def _kept(name: str, make: Any, m: Machine) -> Value:
    """A value of a module that is one object through the run."""
    if name not in m.model_state:
        m.model_state[name] = make(m)
    return m.model_state[name]


def _exit(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    status = args[0] if args else kwargs.get("status")
    failed = (status is TEXT or (type(status) in (int, str) and status not in (0, ""))) and not any("argv" in text for text in m.texts())
    how = f" with {'a message' if status is TEXT else repr(status)}, which is a failure" if failed else ""
    ended = m.raised("SystemExit", f"the program ends here{how}", node)
    ended.quiet = not failed
    raise ended


def _put_module(m: Machine, me: Model, index: Value, value: Value, node: ast.AST) -> None:
    """`sys.modules["a"] = b`: a later `import a` gives b."""
    if isinstance(index, str):
        m.heap.set(me.space, index, value)
    else:
        m.gap("sys.modules[…] = …", node, "the name is not known")


def _loaded_module(m: Machine, me: Model, name: Value) -> Value:
    """`sys.modules[name]`: what the program put there, else the module of that name that has begun to run, or that comes with a library that a file imports."""
    if not isinstance(name, str):
        return Unknown("a module")
    module = m.model_state["modules"].get(name)
    if module is None and name in _WITH_TORCH and any("import torch" in text or "from torch" in text for text in m.texts()):
        return me.space.get(name, Named(name))
    missing = MISSING if module is None and m.installed(name)[0] is False else Unknown("a module")
    return me.space.get(name, module if module is not None and module.state != "waiting" else missing)


def _is_loaded(m: Machine, me: Model, name: Value, node: ast.AST) -> Value:
    found = _loaded_module(m, me, name)
    return Unknown("whether a module is loaded", number="bool") if isinstance(found, Unknown) else found is not MISSING


def _module_at(m: Machine, me: Model, name: Value, node: ast.AST) -> Value:
    found = _loaded_module(m, me, name)
    if found is MISSING:
        raise m.raised("KeyError", f"KeyError: {name!r}: no module of this name is installed here", node)
    return found


def _module_or(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = _loaded_module(m, me, args[0] if args else None)
    return (args[1] if len(args) > 1 else None) if found is MISSING else found


_PARTS = (
    "activation adaptive batchnorm channelshuffle container conv distance dropout flatten fold instancenorm linear loss module normalization padding "
    "pixelshuffle pooling rnn sparse transformer upsampling utils"
)
_WITH_TORCH = frozenset(("torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.modules", *(f"torch.nn.modules.{p}" for p in _PARTS.split())))
"""Modules that `import torch` runs."""


def _set_recursion_limit(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    m.heap.set(m.model_state["interpreter"], "recursion limit", args[0])


def _get(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name, default = args[0], argument(args, kwargs, 1, "default", MISSING)
    if isinstance(name, str) and name in me.space[SETTINGS]:
        return me.space[SETTINGS][name]
    return _variable(me, name) if default is MISSING else default


def _is_set(m: Machine, me: Model, name: Value, node: ast.AST) -> Value:
    return True if isinstance(name, str) and CHANGED not in me.space and name in me.space[SETTINGS] else Unknown("in", number="bool")


def _variable(me: Model, name: Value) -> Unknown:
    """A variable that the program has not set: asked twice, it is the same text."""
    return replace(TEXT, key=f"environ[{name}]") if isinstance(name, str) and CHANGED not in me.space else TEXT


def _changed(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Variables change that are not followed: from here on, each question about one is a question of its own."""
    m.heap.set(me.space, CHANGED, True)
    return TEXT


def _put(m: Machine, me: Model, name: Value, value: Value, node: ast.AST) -> None:
    if not isinstance(value, (str, Unknown)):
        raise m.raised("TypeError", f"a variable of the environment is a text, not {type(value).__name__}", node)
    if isinstance(name, str):
        m.heap.set(me.space[SETTINGS], name, value)
    else:
        m.heap.set(me.space, CHANGED, True)


def _set_default(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if args[0] not in me.space[SETTINGS]:
        _put(m, me, args[0], args[1], node)
    return me.space[SETTINGS][args[0]]


_MOMENT = KindModel(
    binary=lambda m, word, a, b, node: Unknown(word) if word in ("eq", "ne", "lt", "le", "gt", "ge") else Model("datetime.datetime", m.heap.space()),
    open=True,
)


def _logger(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    return Model("logging.Logger", m.heap.space({"name": args[0] if args else "root", "handlers": listed(m, [])}))


_SAYING = (
    "debug", "info", "warning", "warn", "error", "critical", "exception", "log", "setLevel", "addHandler", "removeHandler", "addFilter",
    "setFormatter", "close",
)  # fmt: skip


def _said(m: Machine, me: Value, name: str, node: ast.AST) -> Value:
    """What a class of the program inherits from a logger, a handler or a formatter: calls without effect."""
    given = TEXT if name.startswith("format") else Unknown(name) if name[:2] in ("is", "ge", "ha") else None
    return Native(f"logging.{name}", lambda mm, a, k, n: given) if name in (*_SAYING, *_FORMATTING) else MISSING


def _logger_made(m: Machine, me: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    for name, value in (("logger", args[0] if args else None), ("extra", argument(args, kwargs, 1, "extra")), ("level", WHOLE), ("name", TEXT)):
        m.heap.set(me.space, name, value)


_FORMATTING = (
    "format", "formatTime", "formatException", "formatMessage", "isEnabledFor", "getEffectiveLevel", "hasHandlers",
    "emit", "handle", "acquire", "release", "flush", "filter",
    "process",
)  # fmt: skip
_STREAM = KindModel(open=True, iterations=lambda m, me, node: some_iterations(m, "lines", TEXT, node))  # fmt: skip


def _stream(m: Machine) -> Model:
    return Model("sys.stream", m.heap.space())


def _thread(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    space = {"target": argument(args, kwargs, 1, "target"), "args": kwargs.get("args", ()), "kwargs": kwargs.get("kwargs")}
    return Model("threading.Thread", m.heap.space(space))


def _start(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """A thread is run where it starts."""
    if me.space["target"] is None:
        return
    given = m.iterate(me.space["args"], node)
    named = me.space["kwargs"]
    if given is None:
        m.gap("threading.Thread", node, "its arguments are not known")
        return
    warned(m, "a thread", me.space["target"], tuple(given), dict(named.items) if isinstance(named, Dict) else {}, node)


def _each(library: str, names: tuple[str, ...], run: Run) -> dict[str, Value]:
    return {f"{library}.{name}": run for name in names}


FUNCTIONS: dict[str, object] = {
    "importlib.import_module": _import_module, "sys.setrecursionlimit": _set_recursion_limit,
    "sys.getrecursionlimit": lambda m, a, k, n: m.model_state["interpreter"].get("recursion limit", 1000), "sys.exit": _exit, "os._exit": _exit,
    "os.abort": _exit, **_each("os", ("rename", "replace", "renames"), moved), "os.scandir": lambda m, a, k, n: Model("os.scandir", m.heap.space()),
    "os.getcwd": lambda m, a, k, n: os.getcwd(),
    "os.getenv": lambda m, a, k, n: _get(m, VALUES["os.environ"](m), a, k, n),
    "os.fspath": lambda m, a, k, n: text_of(a[0]) if text_of(a[0]) is not None else TEXT,
    "datetime.datetime": lambda m, a, k, n: Model("datetime.datetime", m.heap.space()),
    "logging.getLogger": _logger, "logging.Logger": _logger,
    **_each("logging", ("StreamHandler", "FileHandler", "NullHandler", "Handler", "Formatter", "Filter", "LoggerAdapter", "handlers.RotatingFileHandler",
    "handlers.TimedRotatingFileHandler"), _logger),
    **_each("glob", ("glob", "iglob"), _names), "os.listdir": _names, "os.walk": lambda m, a, k, n: Model("os.walk", m.heap.space()),
    **_each("shutil", ("copy", "copy2", "copyfile", "copytree", "move", "make_archive"), partial(writing, 1, "dst", lambda m, a, k, n: TEXT)),
    "threading.Thread": _thread,
    **_each("threading", ("Lock", "RLock", "Event", "Condition", "Semaphore", "BoundedSemaphore", "Barrier"),
        lambda m, a, k, n: Model("threading.Lock", m.heap.space())),
}  # fmt: skip
VALUES: dict[str, Any] = {
    "sys.argv": partial(_kept, "sys.argv", lambda m: listed(m, [m.main_path, *m.argv])), "sys.path": partial(_kept, "sys.path", lambda m: listed(m, [""])),
    "sys.version_info": lambda m: Outputs.named((3, 11, 7, "final", 0), ("major", "minor", "micro", "releaselevel", "serial")),
    "sys.stdout": partial(_kept, "sys.stdout", _stream), "sys.stderr": partial(_kept, "sys.stderr", _stream),
    "sys.stdin": partial(_kept, "sys.stdin", _stream), "sys.modules": partial(_kept, "sys.modules", lambda m: Model("sys.modules", m.heap.space())),
    "os.environ": partial(_kept, "os.environ", lambda m: Model("os.environ", m.heap.space({"set": m.heap.entries()}))),
    "datetime.timezone.utc": lambda m: Model("datetime.datetime", m.heap.space()),
}  # fmt: skip
KINDS = {
    "sys.modules": KindModel(
        methods={"get": _module_or}, item=_module_at,
        set_item=_put_module, items=lambda m, me, node: None, length=lambda m, me, node: Unknown("len"),
        contains=_is_loaded,
    ),
    "os.environ": KindModel(
        methods={"get": _get, "setdefault": _set_default, "pop": _changed, "update": _changed, "clear": _changed},
        item=lambda m, me, name, n: me.space[SETTINGS].get(name, _variable(me, name)) if isinstance(name, str) else TEXT,
        set_item=_put, contains=_is_set, items=lambda m, me, node: None, length=lambda m, me, node: Unknown("len"),
    ),
    "os.scandir": KindModel(
        iterations=lambda m, me, node: some_iterations(m, "entries", Model("os.DirEntry", m.heap.space({"name": TEXT, "path": TEXT})), node),
        items=lambda m, me, node: None, enter=lambda m, me, node: me, open=True,
    ),
    "os.walk": KindModel(
        iterations=lambda m, me, n: some_iterations(m, "folders", (TEXT, texts(m, n), texts(m, n)), n),
        items=lambda m, me, node: None, next=lambda m, me, node: (TEXT, texts(m, node), texts(m, node))),
    "datetime.datetime": _MOMENT, "logging.Logger": KindModel(open=True), "sys.stream": _STREAM, "threading.Lock": KindModel(enter=lambda m, me, node: True),
    "threading.Thread": KindModel(methods={"start": _start}, open=True),
}  # fmt: skip
_LOGGING = ("Handler", "Formatter", "Filter", "LoggerAdapter", "Logger", "StreamHandler", "FileHandler")
CLASSES = {
    "datetime.datetime": ClassModel("datetime.datetime", closed=False),
    **{f"logging.{name}": ClassModel(f"logging.{name}", closed=False, attribute=_said, init=_logger_made) for name in _LOGGING},
}
CLASSES["threading.Thread"] = ClassModel(
    "threading.Thread",
    methods={
        "start": lambda m, me, a, k, n: warned(m, "a thread", m.attribute(me, "run", n), (), {}, n),
    },
    init=lambda m, me, a, k, n: None, closed=False,
)  # fmt: skip
