"""The tree of modules of torch.nn: what a module holds, and under which names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorproof.terms.tensor import TensorType
from tensorproof.values import Instance, Key, Layer, Unknown, Value, slot

PARAMETERS: Key[tuple[str, ...]] = slot("<parameters>")
BUFFERS: Key[tuple[str, ...]] = slot("<buffers>")
TEMPORARY: Key[tuple[str, ...]] = slot("<temporary>")
"""The names under which a module keeps those of its parameters, of its buffers, and of those buffers that are not part of its state."""


def is_module(value: Value) -> bool:
    """Whether a value is a layer, a container or an instance of one of the program's modules."""
    from tensorproof.libraries import registry

    return isinstance(value, Layer) or (isinstance(value, Instance) and registry.derives_from(value, "torch.nn.Module"))


def children(value: Value) -> list[tuple[str, Value]]:
    if isinstance(value, Layer):
        return list(zip(value.names, value.children))
    if not isinstance(value, Instance):
        return []
    held = [(k, v) for k, v in value.space.items() if isinstance(k, str) and is_module(v)]
    return [*children(value.native), *held] if isinstance(value.native, Layer) else held


def walk(value: Value, prefix: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, Any]]:
    """A module and all modules in it, with their names."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    yield prefix, value
    for name, child in children(value):
        yield from walk(child, f"{prefix}.{name}" if prefix else name, seen)


def own_tensors(value: Value, which: Key[tuple[str, ...]]) -> list[tuple[str, TensorType]]:
    """The parameters or buffers that one module holds itself."""
    if isinstance(value, Layer):
        if value.module is None and value.kind == "wrapper":  # how many models an AveragedModel holds
            return [(k, v) for k, v in value.tensors.items() if isinstance(v, TensorType)] if which == BUFFERS else []
        if value.module is None:
            return [(k, v) for k, v in value.tensors.items() if isinstance(v, TensorType)] if which == PARAMETERS else []
        return list((value.module.parameters if which == PARAMETERS else value.module.buffers).items())
    if not isinstance(value, Instance):
        return []
    names = value.space.get(which, ())
    held = [(n, t) for n in names if isinstance(t := value.space.get(n), TensorType)]
    return [*own_tensors(value.native, which), *held] if isinstance(value.native, Layer) else held


def all_tensors(value: Value, which: Key[tuple[str, ...]]) -> list[tuple[str, TensorType]]:
    found: list[tuple[str, TensorType]] = []
    for prefix, module in walk(value):
        found += [(f"{prefix}.{n}" if prefix else n, t) for n, t in own_tensors(module, which)]
    return found


def open_parts(value: Value) -> bool:
    """Whether a module holds something that is not known, which may have parameters of its own."""
    for _, module in walk(value):
        held = module.space.values() if isinstance(module, Instance) else module.children if isinstance(module, Layer) else ()
        if any(type(v) is Unknown and not v.text and not v.number for v in held):
            return True
    return False


def state(value: Value, prefix: str = "", inside: tuple[int, ...] = ()) -> dict[str, TensorType]:
    """Module by module: its parameters, its buffers, then its children. A module that stands at two places has its tensors at both."""
    temporary = value.space.get(TEMPORARY, ()) if isinstance(value, Instance) else ()
    found = {prefix + name: t for which in (PARAMETERS, BUFFERS) for name, t in own_tensors(value, which) if name not in temporary}
    for name, child in children(value):
        if id(child) not in inside:
            found.update(state(child, f"{prefix}{name}.", (*inside, id(value))))
    return found
