"""Other ways to the names of TensorFlow 1: each is brought to the one name under which it is modelled."""

from __future__ import annotations

from functools import cache

from tensorproof.bindings.call import spelled
from tensorproof.libraries import registry
from tensorproof.libraries.constants import constant

_PREFIXES = (
    ("tf.compat.v2.", "tf."), ("tf.compat.v1.keras", "keras"), ("tf.python.keras", "keras"), ("tf.keras", "keras"), ("tf.contrib.keras", "keras"),
    ("tf.compat.v1.flags", "absl.flags"), ("tf.compat.v1.app.flags", "absl.flags"), ("tf.compat.v1.app.run", "absl.app.run"),
    ("tf.app.flags", "absl.flags"), ("tf.flags", "absl.flags"), ("tf.app.run", "absl.app.run"), ("tf.python.platform.flags", "absl.flags"),
    ("tf.contrib.slim", "slim"), ("tf_slim", "slim"), ("tf.contrib.layers", "slim"), ("tf.contrib.losses", "slim.losses"),
    ("tf.contrib.framework.python.ops.arg_scope", "slim"),
    ("tf.contrib.framework.arg_scope", "slim.arg_scope"), ("tf.contrib.framework.add_arg_scope", "slim.add_arg_scope"),
    ("tf.contrib.rnn", "tf.nn.rnn_cell"), ("tf.contrib.data", "tf.data"), ("tf.python.ops.rnn_cell", "tf.nn.rnn_cell"),
    ("tf.compat.v1.nn.rnn_cell", "tf.nn.rnn_cell"), ("tf.compat.v1.estimator", "tf.estimator"), ("tf.compat.v1.feature_column", "tf.feature_column"),
    ("tf.python.framework.ops", "tf"), ("tf.python.ops.array_ops", "tf"), ("tf.python.ops.math_ops", "tf"), ("tf.python.ops.nn_ops", "tf.nn"),
    ("tf.python.ops.nn", "tf.nn"), ("tf.python.ops.variable_scope", "tf"), ("tf.python.ops.init_ops", "tf"), ("tf.contrib.framework.nest", "tf.nest"),
    *((f"tf.{w}", f"tf.io.{w}") for w in ("parse_single_example", "parse_example", "FixedLenFeature", "VarLenFeature", "decode_raw", "decode_csv", "read_file",
       "write_file", "gfile", "parse_tensor", "FixedLenSequenceFeature", "serialize_tensor", "matching_files")),
    ("tf.python_io.TFRecordWriter", "tf.io.TFRecordWriter"), ("tf.python_io.tf_record_iterator", "tf.io.tf_record_iterator"),
)  # fmt: skip


@cache
def home(name: str) -> str:
    """The name under which a name is modelled."""
    if not name.startswith("tf"):
        return name
    for prefix, to in _PREFIXES:
        if name == prefix or name.startswith(prefix if prefix.endswith(".") else prefix + "."):
            return to + name.removeprefix(prefix)
    if name.startswith("tf.compat.v1.") and not registry.known(name):
        plain = "tf." + name.removeprefix("tf.compat.v1.")
        if registry.known(plain) or constant(plain)[0] or (spelled(plain) and not spelled(name)):
            return plain
    return name
