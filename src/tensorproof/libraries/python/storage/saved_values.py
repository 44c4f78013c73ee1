"""What the program has written with json, yaml, pickle or NumPy comes back when it reads the same file; no file outside of the project is read for it."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from typing import Any

from tensorproof.libraries import Run, argument
from tensorproof.libraries.python.copies import deep
from tensorproof.libraries.python.storage.path_text import text_of
from tensorproof.libraries.torch.files import one_of_saved
from tensorproof.terms import TensorType, Term
from tensorproof.values import MISSING, Args, Dict, Kwargs, List, Machine, Model, Unknown, Value

STALE = Unknown("a file that was written again")


def _place(target: Value) -> str | None:
    """The path of an open file, of a text or of a path, in its normal form."""
    if isinstance(target, Model) and target.kind == "file":
        target = target.space["path"]
    name = text_of(target)
    return None if name is None else os.path.normpath(name)


def forget(m: Machine, target: Value) -> None:
    """Something is written to this file or folder, or anywhere when its name is not known: what it held is no longer known."""
    files, place = m.model_state["files"], _place(target)
    for key in list(files):
        if isinstance(key, tuple) and (place is None or key[1] == place or key[1].startswith(f"{place}/")):
            m.heap.set(files, key, STALE)


def keep(m: Machine, form: str, target: Any, value: Value) -> None:
    """Remember what a file holds; a second value in one open file is not followed."""
    place, opened = _place(target), isinstance(target, Model) and target.kind == "file"
    forget(m, target)
    if place is None:
        return
    again = opened and (target.space.get("dumped", MISSING) is not MISSING or not target.space["mode"].startswith(("w", "x")))
    if opened:
        m.heap.set(target.space, "dumped", True)
    m.heap.set(m.model_state["files"], (form, place), STALE if again else value)


def kept(m: Machine, form: str, source: Any, node: ast.AST) -> Value:
    """What was written to this file, MISSING when the program has not written it."""
    place, opened = _place(source), isinstance(source, Model) and source.kind == "file"
    found = MISSING if place is None else one_of_saved(m, m.model_state["files"].get((form, place), MISSING))
    if opened and found is not MISSING:
        if source.space.get("loaded", MISSING) is not MISSING:
            return STALE
        m.heap.set(source.space, "loaded", True)
    return found if found is MISSING else deep(m, found, {}, node)


def moved(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """os.rename and os.replace: what the first file held is now in the second."""
    files, before, after = m.model_state["files"], _place(argument(args, kwargs, 0, "src")), argument(args, kwargs, 1, "dst")
    forget(m, after)
    for key in list(files):
        if isinstance(key, tuple) and key[1] == before and (place := _place(after)) is not None:
            m.heap.set(files, (key[0], place), files[key])


def writing(at: int, name: str, run: Run, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A function that writes to the file which this argument names."""
    forget(m, argument(args, kwargs, at, name))
    return run(m, args, kwargs, node)


def _as_json(m: Machine, value: Value) -> Value:
    """A value as json gives it back: tuples are lists, keys are texts."""
    if isinstance(value, Dict):
        if not all(isinstance(k, (str, int, type(None))) for k in value.items):
            return Unknown("data of a file")
        return Dict(m.heap.entries({_key(k): _as_json(m, v) for k, v in value.items.items()}))
    if isinstance(value, List) or type(value) is tuple:
        items = value.items if isinstance(value, List) else value
        return List(m.heap.row([_as_json(m, v) for v in items]))
    return value if isinstance(value, (str, int, float, type(None), Term, Unknown)) else Unknown("data of a file")


def _key(key: str | int | None) -> str:
    return key if isinstance(key, str) else {True: "true", False: "false", None: "null"}[key] if isinstance(key, bool) or key is None else str(key)


def _as_yaml(m: Machine, value: Value) -> Value:
    if isinstance(value, Dict):
        return Dict(m.heap.entries({k: _as_yaml(m, v) for k, v in value.items.items()}))
    if isinstance(value, List):
        return List(m.heap.row([_as_yaml(m, v) for v in value.items]))
    return value if isinstance(value, (str, int, float, type(None), Term, Unknown)) else Unknown("data of a file")


_FORMS: dict[str, Callable[[Any, Value], Value]] = {"json": _as_json, "yaml": _as_yaml}


def dump(form: str, what: str, name: str, run: Run, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`dump(value, file)`: the file holds the value as this form gives it back."""
    target = argument(args, kwargs, 1, name)
    result = run(m, args, kwargs, node)
    value = argument(args, kwargs, 0, what, MISSING)
    if target is None or value is MISSING:
        return result
    plain = "default" not in kwargs and "cls" not in kwargs
    made = _FORMS[form](m, value) if form in _FORMS else deep(m, value, {0: None}, node)
    keep(m, form, target, made if plain else STALE)
    return result


def load(form: str, name: str, run: Run, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`load(file)`: what the program has written there, else what `run` reads."""
    found = kept(m, form, argument(args, kwargs, 0, name), node)
    if found is MISSING or (found is STALE and form == "npy"):
        return run(m, args, kwargs, node)
    return STALE if kwargs.keys() & {"object_hook", "object_pairs_hook", "cls", "parse_int", "parse_float"} else found


def _npy(target: Value) -> Value:
    """NumPy adds the suffix where a name has none."""
    name = text_of(target)
    return target if name is None or name.endswith(".npy") else f"{name}.npy"


def save_array(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """numpy.save."""
    value = argument(args, kwargs, 1, "arr")
    known = isinstance(value, TensorType) and value.framework == "numpy"
    keep(m, "npy", _npy(argument(args, kwargs, 0, "file")), deep(m, value, {}, node) if known else STALE)
