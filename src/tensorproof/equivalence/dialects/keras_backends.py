"""Keras with another backend, in a process of its own that lives as long as this one."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import Counter
from functools import cache
from importlib.util import find_spec
from os import environ
from typing import Any

_SERVER = """
import pickle, sys
import keras
def tensors(given): return {k: keras.ops.cast(keras.ops.convert_to_tensor(v), t) for k, (v, t) in given.items()}
def plain(x):
    if isinstance(x, (list, tuple)): return tuple(map(plain, x))
    if not hasattr(x, "shape"): return x
    return keras.backend.standardize_dtype(x.dtype), keras.ops.convert_to_numpy(x)
def run(setup, text, weights, given):
    names = {"keras": keras, **tensors(given)}
    exec(setup, names)
    if weights is not None:
        eval(text, names)
        names["layer"].set_weights(weights)
    return plain(eval(text, names))
out, sys.stdout = sys.stdout.buffer, sys.stderr
while True:
    try: asked = pickle.load(sys.stdin.buffer)
    except EOFError: break
    try: made = ("value", run(*asked))
    except Exception as error: made = ("error", type(error).__name__, str(error))
    try: kept = pickle.dumps(made)
    except Exception as error: kept = pickle.dumps(("error", type(error).__name__, str(error)))
    out.write(kept); out.flush()
"""
"""Reads calls and writes their results, with the backend of its environment."""


class BackendError(Exception):
    """What the other process raised."""


MOST_STARTS = 5
"""How often the process of a backend is started again after it ended."""
_starts: Counter[str] = Counter()


@cache
def _process(backend: str) -> subprocess.Popen[bytes]:
    _starts[backend] += 1
    if _starts[backend] > MOST_STARTS:
        raise BackendError(f"the process with the backend {backend} ends again and again")
    return subprocess.Popen(
        [sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**environ, "KERAS_BACKEND": backend, "JAX_ENABLE_X64": "1"},
    )  # fmt: skip


def missing(backend: str) -> str:
    """Why a backend cannot be used; empty when it can."""
    return "" if find_spec("keras") is not None and find_spec(backend) is not None else f"{backend} is not installed"


def with_backend(backend: str, text: str, setup: str = "", weights: Any = None, **given: Any) -> Any:
    """The value of a text under another backend, as tensors of TensorFlow. A layer that `setup` makes gets the weights."""
    import tensorflow

    tf: Any = tensorflow
    process = _process(backend)
    if process.stdin is None or process.stdout is None or process.poll() is not None:
        _process.cache_clear()
        raise BackendError(f"the process with the backend {backend} has ended")
    sent = {name: _sent(tf, value) for name, value in given.items()}
    pickle.dump((setup, text, weights, sent), process.stdin)
    process.stdin.flush()
    try:
        kind, *rest = pickle.load(process.stdout)
    except EOFError:
        _process.cache_clear()
        raise BackendError(f"the process with the backend {backend} has ended") from None
    if kind == "error":
        raise type(rest[0], (BackendError,), {})(rest[1])
    return _made(tf, rest[0])


def _sent(tf: Any, tensor: Any) -> tuple[Any, str]:
    label = tensor.dtype.name
    return (tf.cast(tensor, tf.float32) if label == "bfloat16" else tensor).numpy(), label


def _made(tf: Any, value: Any) -> Any:
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        return tf.cast(tf.constant(value[1]), value[0])
    return tuple(_made(tf, v) for v in value) if isinstance(value, tuple) else value


_ONCE = (
    'import pickle, sys, keras; setup, text, weights, given = pickle.load(sys.stdin.buffer); names = {"keras": keras, **{k: keras.ops.convert_to_tensor(v)'
    ' for k, v in given.items()}}; exec(setup, names); weights is None or (eval(text, names), names["layer"].set_weights(weights));'
    " pickle.dump(keras.tree.map_structure(keras.ops.convert_to_numpy, eval(text, names)), sys.stdout.buffer)"
)
SCRIPT = (
    "import os, pickle, subprocess, sys",
    f"CODE = {_ONCE!r}",
    'start = lambda backend, asked: subprocess.run([sys.executable, "-c", CODE], input=pickle.dumps(asked), stdout=-1, stderr=-1,'
    ' env={**os.environ, "KERAS_BACKEND": backend, "JAX_ENABLE_X64": "1"})',
    "run = lambda *given: pickle.loads(made.stdout) if (made := start(*given)).stdout else sys.exit(made.stderr.decode())",
    'with_backend = lambda backend, text, setup="", weights=None, **given: run(backend, (setup, text, weights, {k: v.numpy() for k, v in given.items()}))',
)  # fmt: skip
"""The lines of a script that does the same, once."""
