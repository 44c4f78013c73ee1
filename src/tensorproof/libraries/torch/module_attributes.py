"""What `nn.Module.__setattr__` takes under the name of a parameter or a buffer."""

from __future__ import annotations

import ast

from tensorproof.libraries.torch.module_tree import BUFFERS, PARAMETERS, TEMPORARY, is_module
from tensorproof.terms.tensor import TensorType
from tensorproof.values import Dict, Function, Instance, Key, List, Machine, Set, Value, slot

EMPTIED: Key[tuple[str, ...]] = slot("<emptied>")
"""The names of the parts that were set to None, which only a module or None may get again."""
_PLAIN = (int, float, str, tuple, List, Dict, Set)


def _by_hand(m: Machine) -> bool:
    """Whether the program may change the dicts in which a module keeps its parameters, which is not followed."""
    return any("._parameters" in text or "._buffers" in text for text in m.texts())


def refuse(m: Machine, name: str, value: Value, parameter: bool, node: ast.AST) -> None:
    """A parameter is replaced by a parameter or None, a buffer by a tensor or None."""
    if _by_hand(m):
        return
    if isinstance(value, TensorType):
        if parameter and value.framework == "torch" and not value.parameter:
            words = f"{name} is a parameter, and only an nn.Parameter or None can take its place: write {name}.data = …, or nn.Parameter(…)"
            raise m.raised("TypeError", words, node, "module/parameter")
    elif isinstance(value, _PLAIN):
        kind = "a parameter" if parameter else "a buffer"
        raise m.raised("TypeError", f"{name} is {kind}, and a {type(value).__name__.lower()} cannot take its place", node, "module/parameter")


def refuse_in_place_of_module(m: Machine, name: str, value: Value, node: ast.AST) -> None:
    """A part is replaced by a module, or None; a parameter takes its place too."""
    if isinstance(value, TensorType) and value.parameter:
        return
    if isinstance(value, (*_PLAIN, TensorType, Function)):
        words = f"{name} is a module, and a {type(value).__name__.lower()} cannot take its place"
        raise m.raised("TypeError", words, node, "module/parameter")


def stored(m: Machine, me: Instance, name: str, value: Value, node: ast.AST) -> None:
    if name in me.space.get(PARAMETERS, ()):
        refuse(m, name, value, True, node)
    elif name in me.space.get(BUFFERS, ()):
        refuse(m, name, value, False, node)
    elif is_module(me.space.get(name)) or name in me.space.get(EMPTIED, ()):
        refuse_in_place_of_module(m, name, value, node)
        if value is None:
            m.heap.set(me.space, EMPTIED, (*me.space.get(EMPTIED, ()), name))


def deleted(m: Machine, me: Instance, name: str) -> None:
    """A name that was deleted is free again."""
    for which in (PARAMETERS, BUFFERS, TEMPORARY, EMPTIED):
        if name in me.space.get(which, ()):
            m.heap.set(me.space, which, tuple(n for n in me.space[which] if n != name))
