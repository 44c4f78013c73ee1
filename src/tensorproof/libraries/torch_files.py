"""torch.save and torch.load: what the program itself has saved under a name comes back under that name; nothing is ever unpickled."""

from __future__ import annotations

from typing import Any

from tensorproof.libraries.plain import argument
from tensorproof.libraries.python_copies import deep
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Dict, Instance, List, Model
from tensorproof.values.python_values import Layer, Unknown

Args = tuple[Any, ...]
Named_ = dict[str, Any]


def _name(value: Any) -> str | None:
    """The file's name, of a text or a path that is known."""
    if isinstance(value, Model) and value.kind == "pathlib.Path":
        value = value.space.get("text")
    return value if isinstance(value, str) else None


def _save(m: Any, args: Args, kwargs: Named_, node: Any) -> None:
    if len(args) + len(kwargs.keys() & {"obj", "f"}) < 2:
        raise m.raised("TypeError", "torch.save needs what to save and where", node, "call/arguments")
    files, name = m.model_state["files"], _name(argument(args, kwargs, 1, "f"))
    if name is None:  # any file may be written over
        for known in list(files):
            m.heap.delete(files, known)
        return
    m.heap.set(files, name, deep(m, argument(args, kwargs, 0, "obj"), {}, node))


def _load(m: Any, args: Args, kwargs: Named_, node: Any) -> Any:
    if not args and "f" not in kwargs:
        raise m.raised("TypeError", "torch.load needs a file", node, "call/arguments")
    name = _name(argument(args, kwargs, 0, "f"))
    found = MISSING if name is None else m.model_state["files"].get(name, MISSING)
    whole = isinstance(found, (Instance, Layer)) and kwargs.get("weights_only") is False
    return deep(m, found, {}, node) if whole or isinstance(found, (Dict, List, TensorType)) else Unknown("a saved file")


FUNCTIONS: dict[str, Any] = {"torch.save": _save, "torch.load": _load}
