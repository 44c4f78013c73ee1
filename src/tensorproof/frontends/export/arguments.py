"""The arguments of a node: unions of tensors, numbers, lists and graphs, as attributes in which an `Edge` stands for a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorproof.frontends.export.schema import ELEMENT_TYPES, KEYWORD, KEYWORDS, LAYOUTS, MEMORY_FORMATS
from tensorproof.frontends.fields import expect, field, only
from tensorproof.frontends.protobuf.schema import Malformed
from tensorproof.graph import Attribute, Edge, Graph

_NAMED = ("as_tensor", "as_sym_int", "as_sym_float", "as_sym_bool", "as_optional_tensor", "as_token", "as_custom_obj")
_SEVERAL = ("as_tensors", "as_optional_tensors", "as_sym_ints", "as_sym_floats", "as_sym_bools", "as_nested_tensors")
_PLAIN: dict[str, type[Any] | tuple[type[Any], ...]] = {"as_int": int, "as_float": (int, float, str), "as_string": str, "as_bool": bool, "as_operator": str}
_LISTS = ("as_ints", "as_floats", "as_strings", "as_bools", "as_int_lists", "as_float_lists")


def value_names(given: Any) -> list[str]:
    """The names in an input or output of a graph or node, in order; "" for one that is left out."""
    if isinstance(given, dict) and not any(key.startswith("as_") for key in given):
        return [str(given.get("name", ""))]
    kind, value = only(given, "an argument")
    if kind in _NAMED:
        return [_name(value, kind)]
    if kind in _SEVERAL:
        return [name for item in expect(value, list, kind) for name in (value_names({"as_tensors": item}) if isinstance(item, list) else [_name(item, kind)])]
    return [""]


def _name(given: Any, where: str) -> str:
    """`{"name": "x"}`, `{"as_name": "s0"}`, `{"as_tensor": {"name": "x"}}`; "" for a number or for none."""
    inside = expect(given, dict, where)
    if isinstance(inside.get("as_tensor"), dict):
        inside = inside["as_tensor"]
    name = inside.get("name", inside.get("as_name"))
    return name if isinstance(name, str) else ""


class Arguments:
    """Reads arguments in the scope of a graph."""

    def __init__(self, edge: Callable[[str], Edge], graph: Callable[[Any, str], Graph]) -> None:
        self._edge = edge
        self._graph = graph

    def of(self, given: list[Any], where: str) -> dict[str, Attribute]:
        """By position, `"0"`, or by keyword."""
        found: dict[str, Attribute] = {}
        positions = 0
        for one in given:
            name = str(expect(one, dict, where).get("name", ""))
            kind = one.get("kind")
            value = self.value(one.get("arg"), f"{where}.{name}")
            if name and (kind == KEYWORD or (kind is None and name in KEYWORDS)):
                found[name] = value
            else:
                found[str(positions)] = value
                positions += 1
        return found

    def value(self, given: Any, where: str) -> Attribute:
        kind, value = only(given, where)
        if kind == "as_none":
            return None
        if kind in _PLAIN:
            if not isinstance(value, _PLAIN[kind]):
                raise Malformed(f"must have {kind.removeprefix('as_')} at {where}, and has {str(value)[:60]}")
            return _number(value) if kind == "as_float" else value
        if kind in _NAMED:
            return self._named(value, kind, where)
        if kind in _SEVERAL:
            return tuple(self._item(item, kind, where) for item in expect(value, list, where))
        if kind in _LISTS:
            return tuple(_listed(item, where) for item in expect(value, list, where))
        return self._special(kind, value, where)

    def _item(self, item: Any, kind: str, where: str) -> Attribute:
        if isinstance(item, list):
            return tuple(self._item(inner, kind, where) for inner in item)
        return self._named(item, kind, where)

    def _named(self, given: Any, kind: str, where: str) -> Attribute:
        name = _name(given, where)
        if name:
            return self._edge(name)
        inside = expect(given, dict, where)
        return next((inside[key] for key in ("as_int", "as_float", "as_bool") if inside.get(key) is not None), None)

    def _special(self, kind: str, value: Any, where: str) -> Attribute:
        if kind == "as_scalar_type":
            return ELEMENT_TYPES.get(expect(value, int, where))
        if kind == "as_layout":
            return LAYOUTS.get(expect(value, int, where))
        if kind == "as_memory_format":
            return MEMORY_FORMATS.get(expect(value, int, where))
        if kind == "as_device":
            return str(expect(value, dict, where).get("type", ""))
        if kind == "as_complex":
            return complex(field(value, "real", float, where), field(value, "imag", float, where))
        if kind == "as_graph":
            return self._graph(field(value, "graph", dict, where), field(value, "name", str, where))
        raise Malformed(f"has an argument of an unknown kind {kind} at {where}")


def _number(value: Any) -> float:
    """JSON has no infinities: they are written as text."""
    try:
        return float(value)
    except ValueError:
        raise Malformed(f"has {value[:60]} where a number must be") from None


def _listed(item: Any, where: str) -> Attribute:
    if isinstance(item, list):
        return tuple(_listed(inner, where) for inner in item)
    if isinstance(item, (bool, int, float, str)):
        return item
    raise Malformed(f"must have numbers or text at {where}, and has {str(item)[:60]}")
