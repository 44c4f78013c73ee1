"""Writes small exported programs of torch (`.pt2`) as the library does, without it."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

FLOAT, LONG = 7, 5


def tensor(name: str) -> dict[str, Any]:
    return {"as_tensor": {"name": name}}


def meta(sizes: list[Any], dtype: int = FLOAT, strides: list[Any] | None = None) -> dict[str, Any]:
    """A TensorMeta; a size that is text is an expression."""
    step, wanted = 1, []
    for size in reversed(sizes):
        wanted.append(step)
        step = step * size if isinstance(size, int) and isinstance(step, int) else step
    given = [{"as_int": s} if isinstance(s, int) else {"as_expr": {"expr_str": s, "hint": None}} for s in sizes]
    return {
        "dtype": dtype, "sizes": given, "requires_grad": False, "device": {"type": "cpu", "index": None},
        "strides": [{"as_int": s} for s in (strides or wanted[::-1])], "storage_offset": {"as_int": 0}, "layout": 7,
    }  # fmt: skip


def argument(value: Any) -> dict[str, Any]:
    """Plain values as the union that the schema has; a dict is given as it is."""
    if isinstance(value, dict):
        return value
    if value is None:
        return {"as_none": True}
    kinds = {bool: "as_bool", int: "as_int", float: "as_float", str: "as_string"}
    if isinstance(value, list):
        several = {bool: "as_bools", int: "as_ints", float: "as_floats", dict: "as_tensors"}
        return {several[type(value[0])]: [item["as_tensor"] if isinstance(item, dict) else item for item in value]}
    return {kinds[type(value)]: value}


def node(target: str, inputs: list[Any], outputs: list[str], **keywords: Any) -> dict[str, Any]:
    given = [{"name": f"a{i}", "arg": argument(value), "kind": 1} for i, value in enumerate(inputs)]
    given += [{"name": name, "arg": argument(value), "kind": 2} for name, value in keywords.items()]
    trace = 'File "/home/me/train.py", line 12, in forward\n    y = f(x)\n  File "/v/site-packages/torch/nn/f.py", line 3, in forward\n    g()'
    name = outputs[0] if outputs else None
    return {"target": target, "inputs": given, "outputs": [tensor(name) for name in outputs], "metadata": {"stack_trace": trace}, "name": name}


def program(
    nodes: list[dict[str, Any]],
    values: dict[str, dict[str, Any]],
    inputs: list[str],
    outputs: list[str],
    parameters: dict[str, str] | None = None,
    ranges: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """An ExportedProgram; `parameters` maps the names of values to those of the module."""
    held = parameters or {}
    specs = [{"parameter": {"arg": {"name": name}, "parameter_name": held[name]}} if name in held else {"user_input": {"arg": tensor(name)}} for name in inputs]
    graph = {
        "inputs": list(map(tensor, inputs)), "outputs": list(map(tensor, outputs)), "nodes": nodes, "tensor_values": values, "sym_int_values": {},
        "sym_bool_values": {}, "is_single_tensor_return": False, "custom_obj_values": {}, "sym_float_values": {},
    }  # fmt: skip
    signature = {"input_specs": specs, "output_specs": [{"user_output": {"arg": tensor(name)}} for name in outputs]}
    return {
        "graph_module": {"graph": graph, "signature": signature, "module_call_graph": []}, "opset_version": {"aten": 10},
        "range_constraints": ranges or {}, "schema_version": {"major": 8, "minor": 20},
    }  # fmt: skip


def write(path: Path, given: Any, weights: dict[str, tuple[list[int], list[float]]] | None = None) -> str:
    """The archive; `weights` by the names of the module: sizes and elements."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("net/models/model.json", given if isinstance(given, (str, bytes)) else json.dumps(given))
        config = {}
        for i, (name, (sizes, elements)) in enumerate((weights or {}).items()):
            config[name] = {"path_name": f"weight_{i}", "is_param": True, "use_pickle": False, "tensor_meta": meta(list(sizes))}
            archive.writestr(f"net/data/weights/weight_{i}", struct.pack(f"<{len(elements)}f", *elements))
        archive.writestr("net/data/weights/model_weights_config.json", json.dumps({"config": config}))
        archive.writestr("net/archive_format", "pt2")
    return str(path)


def linear(features: int = 3, weight: int = 3) -> dict[str, Any]:
    """`y = linear(x, w)` with x of `features` and w of `weight` features."""
    values = {"x": meta(["s0", features]), "p_w": meta([5, weight]), "y": meta(["s0", 5])}
    nodes = [node("torch.ops.aten.linear.default", [tensor("x"), tensor("p_w")], ["y"])]
    return program(nodes, values, ["p_w", "x"], ["y"], {"p_w": "l.weight"}, {"s0": {"min_val": 2, "max_val": 64}})
