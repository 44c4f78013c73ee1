"""The parameters of a space inside of nested configurations: by name at the top, by path, or at the only place that has the name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tensorproof.diagnostics.errors import BadInput


def found_in(config: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The values of those names that a configuration has: `heads` or `model.heads` for `{"model": {"heads": 4}}`."""
    leaves = list(_leaves(config, ()))
    found: dict[str, Any] = {}
    for name in names:
        path = tuple(name.replace("/", ".").split("."))
        places = [(place, value) for place, value in leaves if place[-len(path) :] == path]
        exact = [value for place, value in places if place == path]
        if not exact and len(places) > 1:
            raise BadInput(f"the configuration has {name} at {' and '.join('.'.join(place) for place, _ in places)}; name the parameter by one of these")
        if places:
            found[name] = exact[0] if exact else places[0][1]
    return found


def _leaves(config: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in config.items():
        place = (*path, *str(key).replace("/", ".").split("."))
        if isinstance(value, Mapping):
            yield from _leaves(value, place)
        else:
            yield place, value
