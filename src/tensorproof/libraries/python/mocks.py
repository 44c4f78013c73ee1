"""unittest.mock: `patch` puts another value under a name for a while. A `MagicMock` is unknown: it takes any call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.libraries.model import KindModel
from tensorproof.libraries.plain import argument
from tensorproof.values.objects import Model, Native
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    import ast

    from tensorproof.values.machine import Args, Kwargs, Machine, Value


def _patch(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`patch("torch.cat", f)`."""
    target = argument(args, kwargs, 0, "target")
    if not isinstance(target, str) or "." not in target:
        return m.gap("unittest.mock.patch", node, "the name is not known")
    owner, _, name = target.rpartition(".")
    return _patched(m, m.module(owner, node), name, args[1:], kwargs, node)


def _patch_object(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`patch.object(torch, "cat", f)`."""
    name = argument(args, kwargs, 1, "attribute")
    if not isinstance(name, str):
        return m.gap("unittest.mock.patch.object", node, "the name is not known")
    return _patched(m, argument(args, kwargs, 0, "target"), name, args[2:], kwargs, node)


def _patched(m: Machine, owner: Value, name: str, more: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    new = more[0] if more else kwargs.get("new", kwargs.get("return_value"))
    if not more and "new" not in kwargs:
        new = m.gap("unittest.mock.patch", node, "a mock is put in the place of a value")
    return Model("unittest.mock.patch", m.heap.space({"owner": owner, "name": name, "new": new}))


def _enter(m: Machine, me: Model, node: ast.AST) -> Value:
    owner, name = me.space["owner"], me.space["name"]
    m.heap.set(me.space, "old", m.attribute(owner, name, node))
    m.set_attribute(owner, name, me.space["new"], node)
    return me.space["new"]


def _leave(m: Machine, me: Model, raised: Any, node: ast.AST) -> bool:
    m.set_attribute(me.space["owner"], me.space["name"], me.space["old"], node)
    return False


def _decorate(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Native:
    def run(machine: Machine, given: Args, named: Kwargs, at: ast.AST) -> Value:
        _enter(machine, me, at)
        result, raised = machine.attempt(args[0], given, named, at)
        _leave(machine, me, raised, at)
        if raised is not None:
            raise raised
        return result

    return Native("unittest.mock.patch", run)


def _mock(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return m.gap("unittest.mock.Mock", node, "a mock takes any call") if not kwargs else Unknown("a mock")


FUNCTIONS: dict[str, Any] = {
    "unittest.mock.patch": _patch, "unittest.mock.patch.object": _patch_object,
    **{f"unittest.mock.{name}": _mock for name in ("Mock", "MagicMock", "AsyncMock", "NonCallableMock", "PropertyMock")},
}  # fmt: skip
KINDS = {"unittest.mock.patch": KindModel(
    methods={"start": lambda m, me, a, k, n: _enter(m, me, n), "stop": lambda m, me, a, k, n: _leave(m, me, None, n)},
    enter=_enter, leave=_leave, call=_decorate,
)}  # fmt: skip
