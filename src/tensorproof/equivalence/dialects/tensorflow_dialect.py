"""TensorFlow and Keras, as texts and as values. Import it only in a process that may load TensorFlow."""

from __future__ import annotations

import inspect
import os
import re
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any, TypeGuard

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras
import numpy as np
import tensorflow as tf

from tensorproof.equivalence.arrays import Array, Value, listed, stored
from tensorproof.equivalence.dialects import all_of
from tensorproof.equivalence.dialects.keras_backends import SCRIPT, with_backend
from tensorproof.equivalence.dialects.keras_layers import in_double_precision

_TOLERANCES = {"float16": 1e-3, "bfloat16": 1e-2, "float32": 1e-6, "float64": 1e-6, "complex64": 1e-6, "complex128": 1e-6}
"""Those of `assertAllCloseAccordingToType`, relative and absolute alike."""
tf.get_logger().setLevel("ERROR")


class TensorFlowDialect:
    """See `Dialect`."""

    name = "tensorflow"
    seed = "keras.utils.set_random_seed(0)"

    def version(self) -> str:
        return str(tf.__version__)

    def imports_of(self, texts: str) -> list[str]:
        return [*(["import keras"] if "keras." in texts else []), "import tensorflow as tf", *(SCRIPT if "with_backend(" in texts else ())]

    def namespace(self) -> dict[str, Any]:
        return {"tf": tf, "keras": keras, "with_backend": with_backend}

    def tensor(self, array: Array) -> tf.Tensor:
        made = tf.constant(array.data)
        return made if made.dtype.name == array.label else tf.cast(made, array.label)

    def literal(self, array: Array) -> str:
        shape = f", shape={list(array.shape)}" if 0 in array.shape else ""
        if stored(array.label) == array.label:
            return f"tf.constant({listed(array.data)}, {self.dtype(array.label)}{shape})"
        return f"tf.cast(tf.constant({listed(array.data)}{', tf.float32' if shape else ''}{shape}), {self.dtype(array.label)})"

    def dtype(self, label: str) -> str:
        return f"tf.dtypes.experimental.{label}" if label.startswith(("float8", "int4", "uint4")) else f"tf.{label}"

    @cache  # noqa: B019 (there is one dialect)
    def _find(self, name: str) -> Any:
        found: Any = keras if name.startswith("keras.") else tf
        for part in name.split(".")[1:]:
            try:
                found = getattr(found, part, None)
            except Exception:  # `tf.compat.v1.layers` raises for what Keras 3 has no more
                return None
        return found

    @cache  # noqa: B019
    def _signature(self, name: str) -> inspect.Signature | None:
        try:
            return inspect.signature(self._find(name))
        except (TypeError, ValueError):
            return None

    def _takes(self, name: str, positional: int, keywords: Collection[str]) -> bool:
        """Whether the signature has these arguments."""
        if (signature := self._signature(name)) is None:
            return self._find(name) is not None
        try:
            signature.bind(*[None] * positional, **dict.fromkeys(keywords))
        except TypeError:
            return False
        return True

    def spelled(self, name: str, positional: int = 0, keywords: Collection[str] | None = None) -> str:
        old = f"tf.compat.v1.{name.removeprefix('tf.')}"
        if not name.startswith("tf.") or name.startswith("tf.compat.") or self._find(old) is None:
            return name
        if self._find(name) is None or (keywords is not None and not self._takes(name, positional, keywords) and self._takes(old, positional, keywords)):
            return old
        return name

    def exists(self, name: str) -> bool:
        return self._find(self.spelled(name)) is not None

    def is_alias(self, name: str, other: str) -> bool:
        return self._find(self.spelled(name)) is self._find(self.spelled(other))

    def documented(self, name: str) -> bool:
        return True

    def is_property(self, name: str) -> bool:
        return name.startswith("tf.Tensor.") and not callable(self._find(name))

    def layer(self, made: str) -> str:
        return f"{self.seed}; layer = {made}"

    def copied(self, name: str) -> str:
        return f"tf.Variable({name})"

    def converted(self, name: str, storage: str) -> str:
        return f"tf.sparse.from_dense({name})"

    def plain(self, value: object) -> Any:
        if isinstance(value, (tf.Tensor, tf.Variable)):
            return _value(value)
        if isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
            return value
        if isinstance(value, tf.TensorShape):
            return None if value.rank is None else tuple(value.as_list())
        if isinstance(value, (tuple, list)):
            return tuple(self.plain(v) for v in value)
        if isinstance(value, dict):
            return {k: self.plain(v) for k, v in value.items()}
        return self._other(value)

    def _other(self, value: object) -> Any:
        """Results that are neither tensors nor plain Python."""
        if isinstance(value, tf.DType):
            return value.name
        if isinstance(value, (np.ndarray, np.generic)):
            return Value(str(value.dtype), tuple(value.shape), np.asarray(value))
        if isinstance(value, tf.SparseTensor):
            dense = _value(tf.sparse.to_dense(tf.sparse.reorder(value), validate_indices=False))
            return Value(dense.label, dense.shape, dense.data, "sparse")
        if isinstance(value, tf.IndexedSlices):
            return _value(tf.convert_to_tensor(value))
        if isinstance(value, tf.RaggedTensor):
            return (_value(value.flat_values), *(_value(splits) for splits in value.nested_row_splits))
        if isinstance(value, keras.Variable):
            return _value(value.value)
        if isinstance(value, keras.KerasTensor):
            return Value(str(value.dtype), tuple(value.shape), None)
        return f"<{type(value).__name__}>"

    def tolerance(self, label: str) -> tuple[float, float]:
        found = _TOLERANCES.get(label, 0.0)
        return found, found

    @contextmanager
    def quiet(self, gradients: bool) -> Iterator[None]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield

    def together(self, functions: list[Any]) -> Any:
        return all_of([_scoped(at, function) for at, function in enumerate(functions)])

    def blamed(self, error: BaseException) -> set[int]:
        """Errors of a graph name the operator, in whose name the scope stands; those of tracing carry the place."""
        return {int(at) for at in re.findall(r"\bplace_(\d+)/", "\n".join([str(error), *getattr(error, "__notes__", ())]))}

    def reset(self) -> None:
        """Functions are forgotten with their last reference; only what Keras holds is let go."""
        keras.utils.clear_session(free_memory=False)

    def broken(self, error: BaseException) -> bool:
        return False

    def check(self, compare: str) -> str:
        same = "tf.test.TestCase().assertEqual(*(tf.convert_to_tensor(v).dtype for v in (x, y)))"
        close = "tf.test.TestCase().assertAllCloseAccordingToType(x, y)"
        types = "tf.test.TestCase().assertEqual(*((keras.backend.standardize_dtype(v.dtype), list(v.shape)) for v in (x, y)))"
        both = {"types": types, "numbers": close}.get(compare, f"{same} or {close}")
        return f"tf.nest.map_structure(lambda x, y: {both}, left, right)"

    def checking(self) -> Any:
        return nullcontext()

    def has_weights(self, value: object) -> TypeGuard[keras.Layer]:
        return isinstance(value, keras.Layer)

    def wide(self, value: Any) -> Any:
        return in_double_precision(value) if self.has_weights(value) else value


def _scoped(at: int, function: Callable[..., object]) -> Callable[..., object]:
    """The function with its place in the names of its operators."""

    def scoped(*given: object) -> object:
        with tf.name_scope(f"place_{at}"):
            try:
                return function(*given)
            except Exception as error:
                error.add_note(f"place_{at}/")
                raise

    return scoped


def _value(tensor: tf.Tensor | tf.Variable) -> Value:
    label = tensor.dtype.base_dtype.name
    if not hasattr(tensor, "numpy"):  # a tensor of a graph
        return Value(label, tuple(tensor.shape.as_list()) if tensor.shape.rank is not None else (), None)
    data = tensor.numpy()
    if stored(label) != label:
        data = data.astype(stored(label))
    return Value(label, tuple(tensor.shape), np.asarray(data))


DIALECT = TensorFlowDialect()
