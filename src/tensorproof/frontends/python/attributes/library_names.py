"""Names of libraries: which of them the installed version has, and which the program wrote over."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import spelled
from tensorproof.bindings.names import closest, is_namespace, is_public, versions
from tensorproof.bindings.rows import rows
from tensorproof.libraries import registry
from tensorproof.libraries.keras.names import canonical
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Class, Function, Native
from tensorproof.values.python_values import Named

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_EXACT = ("keras.", "tf.keras.")
"""Trees whose list of names is exact: models of names that older versions had do not make them exist."""


def reached(name: str) -> str:
    """A dotted name with one spelling of its root; `keras` and `tf.keras` stay apart, since they hold different names."""
    return "tf" + name.removeprefix("tensorflow") if name == "tensorflow" or name.startswith("tensorflow.") else name


def check(m: Interpreter, name: str, node: ast.AST, error: str = "AttributeError") -> None:
    """Raise in the program when a library does not have a name."""
    name = reached(name)
    if error != "AttributeError" and is_namespace("tensorflow", name):
        if is_public(name) is False:  # there from its first import on
            _space(m)[canonical(name)] = Named(name)
        return
    _check_standard(m, name, node, error)
    lacking = versions.lacks(name)
    if not lacking and has(name):
        return
    near = [] if lacking else closest(name)
    hint = f": {lacking}" if lacking else f"; did you mean {near[0]}?" if near else ""
    owner, _, last = name.rpartition(".")
    if error == "AttributeError":
        raise m.raised(error, f"{owner} has no attribute {last}{hint}", node)
    raise m.raised(error, f"{last} cannot be imported from {owner}{hint}", node)


def _check_standard(m: Interpreter, name: str, node: ast.AST, error: str) -> None:
    """Raise when a module of Python's own library, as this Python has it, lacks a name."""
    owner, _, last = name.rpartition(".")
    held = sys.modules.get(owner) if owner.partition(".")[0] in sys.stdlib_module_names else None
    if error != "ImportError" or held is None or hasattr(held, last) or registry.known(name):
        return
    from importlib.util import find_spec  # few programs ask a module of Python for what it lacks

    if not hasattr(held, "__path__") or find_spec(name) is None:
        raise m.raised(error, f"{last} cannot be imported from {owner}", node)


def has(name: str) -> bool:
    """Whether a library has a name in some version, as far as that is known."""
    return is_public(name) is not False or (registry.known(canonical(name)) and not name.startswith(_EXACT)) or versions.had(name)


def module(name: str, found: Any) -> Value:
    """A module of Keras keeps the name by which the program reached it: its names are looked up in the list of that tree."""
    name = reached(name)
    apart = isinstance(found, Named) and found.name != name and name.startswith(("tf.", "keras.src"))
    return Named(name) if apart and (is_namespace("keras", found.name) or is_namespace("tensorflow", name)) else found


# --- names that the program wrote ---


def written(m: Interpreter, name: str) -> Value:
    """What the program stored under a library's name; MISSING when it stored nothing there."""
    space = m.model_state.get("library names")
    return MISSING if space is None else space.get(canonical(name), MISSING)


def write(m: Interpreter, owner: str, name: str, value: Value, node: ast.AST) -> None:
    """`tf.model = …`: the program reads there what it stored. What the library itself does with the name is not followed."""
    full = canonical(f"{owner}.{name}")
    if owner == "numpy.ndarray":
        raise m.raised("TypeError", f"the class of NumPy's arrays takes no attribute {name}", node)
    if type(value) is Named and canonical(value.name) == full:  # what the library has is put back
        if written(m, full) is not MISSING:
            m.heap.delete(_space(m), full)
        return
    if _is_initialiser(full):  # layers use it, when one is made
        m.heap.set(_space(m), full, value)
        return
    if isinstance(value, (Function, Native, Bound, Class)) and is_public(full) and (spelled(full) or registry.known(full) or registry.class_model(owner)):
        m.gap(f"{owner}.{name} = …", node, "a function of the library is replaced")
    m.heap.set(_space(m), full, value)


def write_own(m: Interpreter, module: str, name: str, value: Value, node: ast.AST) -> None:
    """`math.floor = f`: the program reads there what it stored."""
    if module == "builtins":
        m.gap(f"builtins.{name} = …", node, "a builtin is replaced")
    m.heap.set(_space(m), f"{module}.{name}", value)


def _is_initialiser(full: str) -> bool:
    """Whether a name is a function of `torch.nn.init`, or what a module of layers calls it."""
    return full.startswith(("torch.nn.init.", "torch.nn.modules.")) and is_public(f"torch.nn.init.{full.rpartition('.')[2]}") is True


def layer_made(m: Interpreter, node: ast.AST) -> None:
    """A layer is made while the program's functions stand in place of the library's initialisers."""
    for full in m.model_state.get("library names", ()):
        if _is_initialiser(full):
            m.gap(f"{full} = …", node, "a function of the library is replaced")


def layer_called(m: Interpreter, operator: str, node: ast.AST) -> bool:
    """Whether a layer's operator is one that the program replaced: the layer calls the program's function, which is not followed there."""
    for full, value in m.model_state["library names"].items():
        if isinstance(value, (Function, Native, Bound)) and full.startswith("torch.") and any(row.op == operator for row in rows(full)):
            m.gap(f"{full} = …", node, "the layer calls a function of the library that is replaced")
            return True
    return False


def _space(m: Interpreter) -> Any:
    if "library names" not in m.model_state:
        m.model_state["library names"] = m.heap.space()
    return m.model_state["library names"]
