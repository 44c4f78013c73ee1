"""Hydra's ConfigStore: configurations that the program keeps under a name, as data classes or dicts."""

from __future__ import annotations

import ast

from tensorproof.libraries import KindModel, Run, argument
from tensorproof.values import Args, Class, Dict, Instance, Kwargs, Machine, Model, Unknown, Value

KIND = "hydra.core.config_store.ConfigStore"
_STATE = "configurations stored"


def _store(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    name, given = argument(args, kwargs, 0, "name"), argument(args, kwargs, 1, "node")
    group = argument(args, kwargs, 2, "group")
    plain = isinstance(name, str) and group is None and isinstance(given, (Class, Instance, Dict)) and "package" not in kwargs
    if not plain:
        m.gap(f"{KIND}.store", node, "only whole configurations are followed")
    if isinstance(name, str) and group is None:
        m.model_state.setdefault(_STATE, {})[name.removesuffix(".yaml")] = given if plain else None


def stored(m: Machine, name: str) -> Value:
    """What the program keeps under a name; None where it keeps nothing that is followed."""
    found = m.model_state.get(_STATE, {}).get(name.removesuffix(".yaml"))
    return _followed(found) if found is not None else None


def _followed(given: Class | Instance | Dict) -> Value:
    """A stored configuration, unless it lists defaults: what they choose is not followed."""
    held = given.items if isinstance(given, Dict) else given.space
    return Unknown("a configuration with defaults") if "defaults" in held else given


FUNCTIONS: dict[str, Run] = {f"{KIND}.instance": lambda m, a, k, n: Model(KIND, m.heap.space()), KIND: lambda m, a, k, n: Model(KIND, m.heap.space())}
KINDS = {KIND: KindModel(methods={"store": _store}, open=True)}
