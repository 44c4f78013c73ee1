"""Tests of where the program runs, its versions and devices: what the program demands of them is assumed, and never blamed."""

from __future__ import annotations

import ast

_VERSIONS = {"__version__", "version_info", "python_version", "VERSION"}
"""Attributes that tell a version."""
_DEVICES = {"device_count", "is_gpu_available", "is_built_with_cuda", "list_physical_devices", "list_logical_devices", "is_bf16_supported"}
"""Functions that tell which devices there are."""
_HOMES = {"cuda", "mps", "xpu", "mtia", "npu", "hpu", "accelerator", "backends", "cudnn", "nccl", "distributed"}
"""Modules whose `is_available` asks for a device or a backend."""
_EXITS = {"exit", "quit", "_exit"}


def of_version(test: ast.expr) -> bool:
    """Whether a test asks for a version."""
    return any(isinstance(n, ast.Attribute) and n.attr in _VERSIONS for n in ast.walk(test))


def of_device(test: ast.expr) -> bool:
    """Whether a test asks for nothing but the devices of the machine."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner) | ast.Compare(left=inner, ops=[_], comparators=[ast.Constant()]):
            return of_device(inner)
        case ast.BoolOp(values=values):
            return all(map(of_device, values))
        case ast.Call(func=ast.Name(id="len" | "bool"), args=[inner]):
            return of_device(inner)
        case ast.Call(func=ast.Name(id=name)):
            return name in _DEVICES
        case ast.Call(func=ast.Attribute(value=home, attr=name)):
            return name in _DEVICES or (name in ("is_available", "is_built") and not _HOMES.isdisjoint(_words(home)))
        case _:
            return False


def _words(home: ast.expr) -> set[str]:
    return {n.attr if isinstance(n, ast.Attribute) else n.id for n in ast.walk(home) if isinstance(n, (ast.Attribute, ast.Name))}


def assumed(node: ast.If) -> bool | None:
    """The side that a test of devices takes where the other only stops the program; None for any other `if`."""
    if not of_device(node.test):
        return None
    stops, goes_on = _stops(node.body), not _stops(node.orelse)
    return None if stops is not goes_on else not stops


def _stops(body: list[ast.stmt]) -> bool:
    """Whether statements end in an exception or in an exit."""
    match body[-1] if body else None:
        case ast.Raise():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name))):
            return name in _EXITS
        case _:
            return False
