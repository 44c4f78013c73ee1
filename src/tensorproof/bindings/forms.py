"""What a `via` function says of its own arguments, and `via` functions made of others for arguments of other kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from tensorproof.bindings.call import Run

if TYPE_CHECKING:
    from tensorproof.ops.inputs import Parameter
    from tensorproof.values.machine import Value


Adapter = TypeVar("Adapter", bound=Callable[..., Any])


def takes(*parameters: Parameter) -> Callable[[Adapter], Adapter]:
    """Declare the kinds of a `via` function's own arguments, where they differ from the operator's."""

    def mark(function: Adapter) -> Adapter:
        function.parameters = {p.name: p for p in parameters}  # type: ignore[attr-defined]
        return function

    return mark


def taking(function: Callable[..., Any], *parameters: Parameter, **fixed: Value) -> Callable[[dict[str, Any], Run], Any]:
    """`function` as another `via` function, whose own arguments are of these kinds; it is called with what is fixed."""

    @takes(*parameters)
    def run(a: dict[str, Any], run: Run) -> Any:
        return function(a, run, **fixed)

    return run
