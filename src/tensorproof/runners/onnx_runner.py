"""Runs generated calls as ONNX models of one node.

What counts as truth: first the standard's own checker and shape inference in strict mode, which know element types, attributes and most
shapes: what they refuse is refused. Then the reference evaluator, which computes: where inference does not tell the whole shape, its word
counts. Neither is the standard: inference looks at few of the sizes that must agree, and the evaluator is NumPy code that broadcasts
where the standard does not and fails where it was not written for a rank or a type. Where inference tells all and the evaluator has no
code for the operator, rank or type, inference counts. An observation is set aside where inference tells all and the evaluator fails
otherwise, where inference does not and the evaluator has no code, where the two tell different shapes, where the failure is inside the
function that defines an operator, for operators out of use, and for what is accepted in an opset before 7. A call that is meant to break
a requirement at which neither looks is set aside where both accept it. Words of attributes are held against the standard's text.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import AttributeProto, TensorProto, ValueInfoProto, checker, defs, helper, numpy_helper, reference, shape_inference

from tensorproof.runners.observed import Observed, Seen
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType

LATEST = defs.onnx_opset_version()
_NUMBERS = {
    DType.FLOAT32: TensorProto.FLOAT, DType.UINT8: TensorProto.UINT8, DType.INT8: TensorProto.INT8, DType.UINT16: TensorProto.UINT16,
    DType.INT16: TensorProto.INT16, DType.INT32: TensorProto.INT32, DType.INT64: TensorProto.INT64, DType.STRING: TensorProto.STRING,
    DType.BOOL: TensorProto.BOOL, DType.FLOAT16: TensorProto.FLOAT16, DType.FLOAT64: TensorProto.DOUBLE, DType.UINT32: TensorProto.UINT32,
    DType.UINT64: TensorProto.UINT64, DType.COMPLEX64: TensorProto.COMPLEX64, DType.COMPLEX128: TensorProto.COMPLEX128,
    DType.BFLOAT16: TensorProto.BFLOAT16, DType.FLOAT8_E4M3FN: TensorProto.FLOAT8E4M3FN, DType.FLOAT8_E4M3FNUZ: TensorProto.FLOAT8E4M3FNUZ,
    DType.FLOAT8_E5M2: TensorProto.FLOAT8E5M2, DType.FLOAT8_E5M2FNUZ: TensorProto.FLOAT8E5M2FNUZ, DType.UINT4: TensorProto.UINT4, DType.INT4: TensorProto.INT4,
    DType.FLOAT8_E8M0FNU: TensorProto.FLOAT8E8M0,
}  # fmt: skip
_LABELS = {number: dtype.label for dtype, number in _NUMBERS.items()}
_VECTORS = {("TopK", "K")}
"""Inputs that are single numbers in vectors of one; other single numbers have no axes."""


_CHECKED = 7
_EMPTY = ("array of size 0", "zero-size array", "axes don't match array", "index 2 is out of bounds for axis 0 with size 2")
"""NumPy's own trouble with tensors without elements."""


_STATES = {"bias", "cx", "directions", "gates", "hidden", "hidden_size", "hx", "input", "lengths", "peephole", "rank"}
_SCALES = {f"{side}{what}" for side in ("", "x_", "y_", "weight_") for what in ("scale", "zero_point")}
_WINDOW = {"bias", "kernel", "padding", "rank", "stride"}
_NOT_LOOKED_AT = {
    "AffineGrid": {"size"},
    "ArgMax": {"rank"},
    "ArgMin": {"rank"},
    "Attention": {"batch"},
    "AveragePool": _WINDOW,
    "BatchNormalization": {"rank"},
    "Clip": {"low", "high"},
    "Col2Im": {"dilation", "padding", "stride"},
    "Conv": _WINDOW,
    "ConvInteger": _WINDOW | _SCALES,
    "ConvTranspose": _WINDOW,
    "DeformConv": {"bias", "mask"},
    "DequantizeLinear": _SCALES | {"axis"},
    "GRU": _STATES,
    "GatherND": {"batch"},
    "GlobalAveragePool": {"rank"},
    "GroupNormalization": {"groups", "rank"},
    "InstanceNormalization": {"channels", "rank"},
    "LRN": {"rank", "size"},
    "LSTM": _STATES,
    "LayerNormalization": {"axis", "rank"},
    "LpNormalization": {"p"},
    "LpPool": _WINDOW,
    "MatMulInteger": _SCALES,
    "MaxPool": _WINDOW,
    "MaxUnpool": _WINDOW | {"indices"},
    "MelWeightMatrix": {"length", "rank", "rate"},
    "Mod": {"fmod"},
    "NonMaxSuppression": {"batch", "boxes", "rank", "size"},
    "Pad": {"rank", "size"},
    "QLinearConv": _WINDOW | _SCALES,
    "QLinearMatMul": _SCALES,
    "QuantizeLinear": _SCALES | {"axis"},
    "RMSNormalization": {"axis", "rank"},
    "RNN": _STATES,
    "ReduceLogSumExp": {"axis"},
    "Resize": {"rank", "roi"},
    "ReverseSequence": {"axis", "batch", "batch_dim", "time_dim"},
    "RotaryEmbedding": {"n"},
    "STFT": {"length", "rank", "step"},
    "Scatter": {"axis", "rank", "size", "updates"},
    "ScatterElements": {"axis", "rank", "updates"},
    "ScatterND": {"depth", "rank", "updates"},
    "Slice": {"axis"},
    "SoftmaxCrossEntropyLoss": {"classes", "rank"},
    "Squeeze": {"axis"},
}
"""Requirements, by the last word of their code, that the standard's text states and neither shape inference nor the evaluator looks at. (A
kernel that overhangs gives an empty result, which they accept.)"""


_COMPUTED = {"BatchNormalization": 14}
"""The opset from which on the evaluator computes what the standard says."""


class Absent(Exception):
    """A value that ONNX does not have, or that a model of one node cannot be given."""


def number_of(dtype: DType | None) -> int:
    if dtype is None or dtype not in _NUMBERS:
        raise Absent(f"ONNX has no element type {dtype!r}")
    return _NUMBERS[dtype]


def array(t: TensorType) -> NDArray[Any]:
    """Known contents, else numbers between 0 and 1 (whole types: zeros)."""
    shape, dtype = tuple(t.shape), helper.tensor_dtype_to_np_dtype(number_of(t.dtype))
    if t.contents is not None and len(t.contents) == t.shape.numel:
        return np.array(list(t.contents)).astype(dtype).reshape(shape)
    if t.dtype is DType.STRING:
        return np.full(shape, "a", dtype=object)
    if t.dtype is not None and (t.dtype.is_float or t.dtype.is_complex):
        return np.random.default_rng(0).random(shape).astype(dtype)
    return np.zeros(shape, dtype)


class Model:
    """A model of one node, made from a call's arguments."""

    def __init__(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        named = dict(kwargs)
        self.broken: str = named.pop("_broken", "").rpartition("/")[2]
        self.operator = name.removeprefix("onnx.")
        self.opset: int = min(named.pop("_opset", LATEST), LATEST)
        self.schema = defs.get_schema(self.operator, self.opset, "")
        self.initializers: list[TensorProto] = []
        self.inputs: list[ValueInfoProto] = []
        self.feeds: dict[str, NDArray[Any]] = {}
        wanted = named.pop("_outputs", None)
        values: list[object] = list(args)
        for i, declared in enumerate(self.schema.inputs):
            if declared.name in named:
                values += [None] * (i + 1 - len(values))
                values[i] = named.pop(declared.name)
        self._check_words(named)
        if self.operator == "Attention" and len(values) > 6 and values[6] is not None:
            raise Absent("lengths go with fewer outputs than are compared here")
        names = [self._input(i, value) for i, value in enumerate(values)]
        self.attributes = {key: self._attribute(key, value) for key, value in named.items() if value is not None}
        outputs = [f"y{i}" for i in range(self._count(wanted, values))]
        self.node = helper.make_node(self.operator, names, outputs)
        self.node.attribute.extend(self.attributes.values())
        shown = [helper.make_empty_tensor_value_info(output) for output in outputs]
        graph = helper.make_graph([self.node], "one", self.inputs, shown, self.initializers)
        self.proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])

    def _check_words(self, named: dict[str, Any]) -> None:
        """A word that an attribute may be is one that its description, or that of the operator, tells."""
        for key, value in named.items():
            declared = self.schema.attributes.get(key)
            if declared is not None and isinstance(value, str) and declared.default_value.s and value not in declared.description + self.schema.doc:
                raise ValueError(f"the standard does not know {key}={value!r}")

    def _count(self, wanted: int | None, values: list[object]) -> int:
        if self.operator == "BatchNormalization" and self.opset >= 14:
            return 3 if "training_mode" in self.attributes and self.attributes["training_mode"].i else 1
        if self.operator == "Split":
            if "num_outputs" in self.attributes:
                return self.attributes["num_outputs"].i
            split = values[1] if len(values) > 1 else None
            given = list(self.attributes["split"].ints) if "split" in self.attributes else split
            held: Any = given.contents if isinstance(given, TensorType) else given
            return len(held) if held is not None else wanted or 2
        if self.operator in ("BatchNormalization", "MaxPool") and self.opset < 14:
            return wanted or (1 if self.operator == "BatchNormalization" else len(self.schema.outputs))
        return len(self.schema.outputs)

    def _input(self, i: int, value: object) -> str:
        if value is None:
            return ""
        name = f"x{i}"
        declared = self.schema.inputs[min(i, len(self.schema.inputs) - 1)].name
        if isinstance(value, (bool, int, float)) or (isinstance(value, (list, tuple)) and not any(isinstance(v, TensorType) for v in value)):
            held = np.array([value] if (self.operator, declared) in _VECTORS else value)
            real = (held.size and held.dtype.kind == "f") or (not held.size and declared == "scales")
            held = held.astype(np.float32 if real else np.int64)
            self.initializers.append(numpy_helper.from_array(held, name))
        elif isinstance(value, TensorType):
            if value.dtype is DType.VARIANT:
                raise Absent("a sequence is not made here")
            held = array(value)
            if value.contents is not None:
                self.initializers.append(numpy_helper.from_array(held, name))
            else:
                self.inputs.append(helper.make_tensor_value_info(name, number_of(value.dtype), list(value.shape)))
                self.feeds[name] = held
        else:
            raise Absent(f"{value!r} is not an input")
        return name

    def _attribute(self, key: str, value: object) -> AttributeProto:
        """By the kind that the schema wants: a whole number may stand for a real one."""
        kinds = AttributeProto
        wanted = self.schema.attributes[key].type.value if key in self.schema.attributes else None
        if isinstance(value, DType):
            value = number_of(value)
        elif isinstance(value, TensorType):
            value = numpy_helper.from_array(array(value), key)
        elif wanted == kinds.TENSOR and isinstance(value, (int, float, list, tuple)):
            value = numpy_helper.from_array(np.array([value] if isinstance(value, (int, float)) else value), key)
        elif wanted == kinds.FLOAT and isinstance(value, int):
            value = float(value)
        elif wanted in (kinds.INTS, kinds.FLOATS) and isinstance(value, (int, float)):
            value = [value]
        elif isinstance(value, bool):
            value = int(value)
        if wanted == kinds.FLOATS:
            numbers: Any = value
            value = [float(v) for v in numbers]
        return helper.make_attribute(key, list(value) if isinstance(value, tuple) else value, attr_type=wanted if isinstance(value, (list, tuple)) else None)


Inferred = tuple[tuple[int | None, ...] | None, str | None]


def inferred(model: Model) -> list[Inferred]:
    """(shape with None for sizes that are not inferred, label) of each output; None for a shape or an output that is not inferred."""
    context = checker.C.CheckerContext()
    context.ir_version, context.opset_imports = 13, {"": model.opset}
    checker.check_node(model.node, context)
    done = shape_inference.infer_shapes(model.proto, check_type=True, strict_mode=True, data_prop=True)
    found: list[Inferred] = []
    for value in done.graph.output:
        kind = value.type.tensor_type
        label = _LABELS.get(kind.elem_type)
        shape = tuple(d.dim_value if d.HasField("dim_value") else None for d in kind.shape.dim) if kind.HasField("shape") else None
        if model.operator == "ConvTranspose" and shape is not None and len(shape) < 3:
            raise Absent("inference stops after the batch and the channels where output_shape is below the input's")
        found.append((shape, label))
    return found


_NO_CODE = (
    "NotImplementedError", "RuntimeImplementationError", "not implemented", "No implementation", "not supported",
    "_ArrayMemoryError", "ufunc", "unsupported", "is not a supported type", "No loop", "Cannot cast", "cannot be safely cast",
    "could not be promoted", "ml_dtypes", "ImportError", "Issues with types", "too many indices", "No registered implementation",
    "Not implemented", "Invalid integer data type", "only applies on", "need at least one array",
)  # fmt: skip


def run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], init: dict[str, Any] | None = None) -> Observed:
    """Infer, then evaluate."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = Model(name, args, kwargs)
        except Absent as absent:
            return Observed(aside=str(absent))
        except Exception as error:
            return Observed(error=f"the node cannot be made: {_shown(error)}")
        inferred_types = _inferred_outputs(model)
        if isinstance(inferred_types, Observed):
            return inferred_types
        seen = _evaluated_outputs(model, inferred_types)
        if isinstance(seen, Observed):
            return seen
    return _agreed(model, inferred_types, seen)


def _inferred_outputs(model: Model) -> list[Inferred] | Observed:
    """What inference tells of the outputs, or the observation that ends here."""
    if model.schema.deprecated:
        return Observed(aside="out of use in this opset")
    if any(attribute.name == "batch_dims" and attribute.i < 0 for attribute in model.attributes.values()):
        return Observed(error="batch_dims is negative")  # inference would read before the shape and end the process
    try:
        inferred_types = inferred(model)
    except Absent as absent:
        return Observed(aside=str(absent))
    except Exception as error:
        words = _shown(error)
        inside = [part.partition(")")[0] for part in words.split("(op_type:")[1:]]
        return Observed(aside=words) if any(name != model.operator for name in inside) else Observed(error=words)
    return Observed(aside=f"before opset {_CHECKED} neither looks at sizes") if model.opset < _CHECKED else inferred_types


def _evaluated_outputs(model: Model, inferred_types: list[Inferred]) -> tuple[Seen, ...] | Observed:
    """What the evaluator computes, or the observation that follows from its failure."""
    try:
        evaluator = reference.ReferenceEvaluator(model.proto)
        results = evaluator.run(None, model.feeds)
        if any(isinstance(r, list) or r is None for r in results):
            return Observed(aside="sequences and optional values are not compared here")
        return tuple(Seen.of(tuple(np.shape(r)), _label(r), r) for r in results)
    except Exception as error:
        return _failed(model, inferred_types, _shown(error))


def _failed(model: Model, inferred_types: list[Inferred], words: str) -> Observed:
    """The evaluator fails: inference counts where it tells all and the evaluator has no code."""
    whole = all(shape is not None and None not in shape for shape, _ in inferred_types)
    no_code = any(w in words for w in _NO_CODE)
    if whole and no_code and model.broken not in _NOT_LOOKED_AT.get(model.operator, ()):
        return Observed(tuple(inferred_types) if len(inferred_types) > 1 else inferred_types[0])
    if model.operator == "Unique" and "out of bounds" in words:
        return Observed(aside=f"the evaluator takes rows where the standard takes elements: {words}")
    if "cannot identify image file" in words:
        return Observed(aside="the bytes are not an image")
    if whole or no_code or words.endswith("Error: ") or any(w in words for w in _EMPTY):
        return Observed(aside=f"the evaluator fails: {words}")
    return Observed(error=words)


def _agreed(model: Model, inferred_types: list[Inferred], seen: tuple[Seen, ...]) -> Observed:
    """What inference and the evaluator say together; set aside where they differ."""
    if any(shape is None or None in shape for shape, _ in inferred_types) and any(held.size == 0 for held in model.feeds.values()):
        return Observed(aside="an input without elements, of which inference does not give all")
    for (shape, label), (true, kind) in zip(inferred_types, seen):
        if shape is not None and (len(shape) != len(true) or any(a is not None and a != b for a, b in zip(shape, true))):
            return Observed(aside=f"inference gives {shape}, evaluation gives {true}")
        if label is not None and kind is not None and label != kind:
            seen = tuple(Seen.of(s[0], inferred_types[i][1] or s[1], s.real) for i, s in enumerate(seen))  # the evaluator is loose with types
            break
    if model.broken in _NOT_LOOKED_AT.get(model.operator, ()):
        return Observed(aside=f"neither looks at {model.broken}")
    outputs: tuple[object, ...] = tuple(tuple(one) for one in seen) if model.opset < _COMPUTED.get(model.operator, 0) else seen
    return Observed(outputs if len(outputs) != 1 or model.operator == "Split" else outputs[0])


def _label(value: object) -> str:
    dtype = np.asarray(value).dtype
    return "string" if dtype.kind in "OUST" else dtype.name


def _shown(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:400]
