"""Modules that are imported when one of their functions is called: what an operator computes is not needed to check its shapes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


class Later:
    """A function of another module; with `given`, what that function makes of these arguments."""

    __slots__ = ("found", "given", "module", "name")

    def __init__(self, module: str, name: str, given: tuple[Any, dict[str, Any]] | None = None) -> None:
        self.module = module
        self.name = name
        self.given = given
        self.found: Callable[..., Any] | None = None

    def __call__(self, *args: object, **kwargs: object) -> Any:
        if self.found is None:
            found = getattr(import_module(self.module), self.name)
            self.found = found if self.given is None else found(*self.given[0], **self.given[1])
        return self.found(*args, **kwargs)


class later:
    """The functions of a module: `formulas = later("catalogue.networks.formulas.loss")`, then `formulas.hinge` is what it defines under that name."""

    __slots__ = ("_module",)

    def __init__(self, module: str) -> None:
        self._module = f"tensorproof.{module}"

    def __getattr__(self, name: str) -> Later:
        return Later(self._module, name)


class makers:
    """The functions of a module that make reference functions: `made.scatter("add")` calls `scatter` when what it makes is first called."""

    __slots__ = ("_module",)

    def __init__(self, module: str) -> None:
        self._module = f"tensorproof.{module}"

    def __getattr__(self, name: str) -> Callable[..., Later]:
        return lambda *args, **kwargs: Later(self._module, name, (args, kwargs))
