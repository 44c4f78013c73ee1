"""A built Keras layer with the same weights in double precision."""

from __future__ import annotations

from typing import Any


def in_double_precision(layer: Any) -> Any:
    """The layer made again from its configuration with the policy float64, with the weights of the first; the layer itself where it was not built."""
    if not getattr(layer, "built", False):
        return layer
    wide = type(layer).from_config(_widened(layer.get_config()))
    config = layer.get_build_config()
    if config is not None:
        wide.build_from_config(config)
    wide.set_weights([weight.astype("float64") if weight.dtype.kind == "f" else weight for weight in layer.get_weights()])
    return wide


def _widened(config: Any) -> Any:
    """A configuration in which every policy is float64, also those of layers inside."""
    if isinstance(config, dict):
        if config.get("class_name") == "DTypePolicy":
            return "float64"
        return {name: "float64" if name == "dtype" and isinstance(value, str) and "float" in value else _widened(value) for name, value in config.items()}
    return [_widened(item) for item in config] if isinstance(config, list) else config
