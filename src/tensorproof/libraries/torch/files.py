"""torch.save and torch.load: what the program itself has saved under a name comes back under that name; nothing is ever unpickled."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import argument, leaves
from tensorproof.libraries.domains import autograd
from tensorproof.libraries.python.copies import deep
from tensorproof.libraries.torch.module_tree import is_module
from tensorproof.terms.tensor import TensorType
from tensorproof.values import MISSING, Args, Choice, Class, Dict, Instance, Kwargs, Layer, List, Machine, Model, Unknown, Value
from tensorproof.values.summaries import number_of, number_of_kinds

_GIVEN = frozenset(["f", "map_location", "pickle_module", "weights_only", "mmap"])
_OF_WEIGHTS, _OF_PICKLES = frozenset(["encoding"]), frozenset(["encoding", "errors", "fix_imports", "buffers"])
"""What torch.load passes on to its own unpickler of weights, and to Python's."""
UNKNOWN_NAME = "?:"
"""Begins the names of files whose names are not known, but are the same wherever they are used."""
_ANY = "?"
"""The name of the file that was saved last under a name of which nothing is known."""
_END: Any = object()
"""The place in a buffer after all that was written."""


def _name(value: Value) -> str | None:
    """The file's name, of a text or a path that is known."""
    if isinstance(value, Model) and value.kind == "pathlib.Path":
        value = value.space.get("text")
    if isinstance(value, Model) and value.kind == "file":
        value = value.space.get("path")
    if isinstance(value, Unknown) and value.text and value.key:
        return UNKNOWN_NAME + value.key
    return value if isinstance(value, str) else None


def _save(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    files, name = m.model_state["files"], _name(argument(args, kwargs, 1, "f"))
    buffer = argument(args, kwargs, 1, "f")
    if isinstance(buffer, (Dict, List, Layer, TensorType, int, float, tuple)) or buffer is None:
        raise m.raised("AttributeError", "torch.save takes what to save first, then a path or a file", node, "call/arguments")
    if isinstance(buffer, Model) and buffer.kind == "io.StringIO":
        held = buffer.space.get("saved", MISSING) is MISSING and buffer.space["at"] == 0
        m.heap.set(buffer.space, "saved", deep(m, _without_graph(m, argument(args, kwargs, 0, "obj")), {}, node) if held else Unknown("several saved values"))
        m.heap.set(buffer.space, "at", _END)
        return
    if name is None or name.startswith(UNKNOWN_NAME):  # any other file may be written over
        for known in list(files):
            if name is None or not _beside(name, known):
                m.heap.delete(files, known)
    if name is None:
        m.heap.set(files, _ANY, Unknown("a file of unknown name"))
        return
    m.heap.set(files, name, deep(m, _without_graph(m, argument(args, kwargs, 0, "obj")), {}, node))


def _without_graph(m: Machine, value: Value) -> Value:
    """What is written of computed tensors: their elements, and not how they were computed."""
    if isinstance(value, TensorType) and value.framework == "torch":
        return autograd.detached(m, value) if autograd.of(m, value).leaf is False else value
    if isinstance(value, Dict) and any(isinstance(one, TensorType) for one in value.items.values()):
        return Dict(m.heap.entries({k: _without_graph(m, one) for k, one in value.items.items()}), value.default, value.counter, value.ordered)
    return value


def _beside(a: str, b: object) -> bool:
    """Whether two names begin with the same unknown text: then what follows tells them apart."""
    return isinstance(b, str) and b.startswith(UNKNOWN_NAME) and "}" in a and a[: a.rindex("}") + 1] == b[: b.rfind("}") + 1]


def _load_scripted(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """torch.jit.load gives the whole module that torch.jit.save has written."""
    return _load(m, args, {**kwargs, "weights_only": False}, node)


def _load_any(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """torch.load, which passes on what it does not know itself."""
    passed = [name for name in kwargs if type(name) is str and name not in _GIVEN]
    weights = kwargs.get("weights_only")
    taken = _OF_WEIGHTS if weights is None or weights is True else _OF_PICKLES
    bad = next((name for name in passed if name not in taken), None)
    if bad is not None and argument(args, kwargs, 2, "pickle_module") is None:
        raise m.raised("TypeError", f"torch.load has no argument {bad}, and neither has what unpickles", node, "call/arguments")
    return _load(m, args, kwargs, node)


def _load(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    buffer = argument(args, kwargs, 0, "f")
    if isinstance(buffer, Model) and buffer.kind in ("io.StringIO", "tempfile"):
        return _loaded(m, buffer, kwargs.get("weights_only"), node)
    name, files = _name(argument(args, kwargs, 0, "f")), m.model_state["files"]
    found = MISSING if name is None else one_of_saved(m, files.get(name, MISSING))
    weights = kwargs.get("weights_only")
    _refuse_objects(m, found, weights, node)
    whole = isinstance(found, (Instance, Layer)) and weights is False
    if whole or isinstance(found, (Dict, List, TensorType)):
        return deep(m, found, {}, node)
    mine = [key for key in files if isinstance(key, str) and (name is None or name.startswith(UNKNOWN_NAME) or key.startswith("?"))]
    if isinstance(found, Unknown) or (found is MISSING and any(not _beside(name or "", key) for key in mine)):
        return m.gap("torch.load", node, "which of the files that the program saves this is, and what it holds, is not known")
    return Unknown("a saved file")


def _refuse_objects(m: Machine, found: Value, weights: Value, node: ast.AST) -> None:
    """By default torch.load gives tensors and plain values only: modules and the program's objects need weights_only=False."""
    if (weights is None or weights is True) and any(map(_is_object, leaves(found))) and not any("safe_globals" in text for text in m.texts()):
        words = "torch.load gives tensors and plain values only, and an object of a class was saved: say weights_only=False, or save a state_dict"
        raise m.raised("UnpicklingError", words, node, "checkpoint/type")


def _is_object(value: Value) -> bool:
    own = isinstance(value, Instance) and all(isinstance(one, Class) or one is object for one in value.cls.mro)
    return own or isinstance(value, Layer) or (isinstance(value, Instance) and is_module(value))


def _loaded(m: Machine, buffer: Model, weights: Value, node: ast.AST) -> Value:
    """What the program has saved in a buffer in memory, read from its beginning."""
    found, at = buffer.space.get("saved", MISSING), buffer.space.get("at")
    if found is not MISSING and at is _END:
        raise m.raised("EOFError", "the buffer is read from where the last write ended: call seek(0) first", node, "python/raise")
    _refuse_objects(m, found, weights, node)
    if found is MISSING or isinstance(found, (Unknown, Choice)) or at != 0 or (isinstance(found, (Instance, Layer)) and weights is not False):
        return m.gap("torch.load", node, "what the buffer holds is not known")
    m.heap.set(buffer.space, "at", Unknown("where reading ended"))
    return deep(m, found, {}, node)


def one_of_saved(m: Machine, found: Value) -> Value:
    """A file that was saved on one path or on another, or only on one: what they have in common. That it exists is taken for granted."""
    if not isinstance(found, Choice):
        return found
    a, b = one_of_saved(m, found.then), one_of_saved(m, found.other)
    return b if a is MISSING else a if b is MISSING else _common(m, a, b)


def _common(m: Machine, a: Value, b: Value) -> Value:
    if isinstance(a, Dict) and isinstance(b, Dict) and list(a.items) == list(b.items):
        return Dict(m.heap.entries({k: _common(m, v, b.items[k]) for k, v in a.items.items()}), a.default, a.counter, a.ordered)
    if isinstance(a, TensorType) and isinstance(b, TensorType) and a.shape == b.shape and a.dtype is b.dtype:
        return a if a.contents == b.contents else a.but(contents=None)
    if isinstance(a, List) and isinstance(b, List) and len(a.items) == len(b.items):
        return List(m.heap.row(_common(m, x, y) for x, y in zip(a.items, b.items)))
    if a is b or (isinstance(a, (str, int, float, type(None))) and type(a) is type(b) and a == b):
        return a
    kinds = {number_of(v) for v in (a, b)}
    return Unknown("a saved value") if "" in kinds else number_of_kinds(kinds)


FUNCTIONS: dict[str, object] = {"torch.save": _save, "torch.load": _load_any, "torch.jit.save": _save, "torch.jit.load": _load_scripted}
