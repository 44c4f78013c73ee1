"""tf.TensorSpec: declared, read off elements, and held against what a generator yields."""

from __future__ import annotations

import ast

from tensorproof.libraries.plain import argument
from tensorproof.libraries.tensorflow.data.elements import SPEC, element_of, spec_of
from tensorproof.libraries.tensorflow.shapes import compatible, sizes_of
from tensorproof.terms import BY_LABEL, TensorType
from tensorproof.values import MISSING, Args, Dict, Kwargs, List, Machine, Model, TensorShape, Unknown, Value


def tensor_spec(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    shape = argument(args, kwargs, 0, "shape")
    sizes = None if shape is None or isinstance(shape, Unknown) else sizes_of(m, shape, node)
    dtype = argument(args, kwargs, 1, "dtype", BY_LABEL["float32"])
    return Model(SPEC, m.heap.space({"shape": sizes, "dtype": dtype, "name": argument(args, kwargs, 2, "name")}))


def spec_attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name == "shape":
        return Unknown("a shape of unknown rank") if me.space["shape"] is None else me.space["shape"]
    return MISSING


def spec_from_tensor(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return spec_of(m, element_of(m, args[0], node))


def spec_binary(m: Machine, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    return Unknown(word)


def spec_of_types(m: Machine, types: Value, shapes: Value, node: ast.AST) -> Value:
    if isinstance(types, (tuple, List)):
        parts = types.items if isinstance(types, List) else types
        inner = shapes.items if isinstance(shapes, List) else shapes if isinstance(shapes, tuple) else [None] * len(parts)
        return tuple(spec_of_types(m, t, s, node) for t, s in zip(parts, inner))
    if isinstance(types, Dict):
        known = shapes.items if isinstance(shapes, Dict) else {}
        return Dict(m.heap.entries({k: spec_of_types(m, t, known.get(k), node) for k, t in types.items.items()}))
    return Model(SPEC, m.heap.space({"shape": None if shapes is None else sizes_of(m, shapes, node), "dtype": types, "name": None}))


def check_fits(m: Machine, sample: Value, spec: Value, node: ast.AST) -> None:
    """What the generator yields must have the shape that was declared."""
    match spec:
        case Model(kind="tf.TensorSpec"):
            shape = spec.space["shape"]
            if isinstance(sample, TensorType) and isinstance(shape, TensorShape) and sample.shape.known:
                message = f"the generator yields shape {sample.shape!r}, declared is {tuple(shape)}"
                m.demand("TypeError", compatible(TensorShape(sample.shape), shape), message, node, "data/generator")
        case tuple() | List():
            parts = list(spec.items if isinstance(spec, List) else spec)
            if isinstance(sample, tuple):
                if len(sample) != len(parts):
                    raise m.raised("TypeError", f"the generator yields {len(sample)} values, {len(parts)} are declared", node, "data/generator")
                for one, inner in zip(sample, parts):
                    check_fits(m, one, inner, node)
        case Dict() if isinstance(sample, Dict):
            for k, inner in spec.items.items():
                if k in sample.items:
                    check_fits(m, sample.items[k], inner, node)
        case _:
            pass
