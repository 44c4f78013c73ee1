"""Watches a TensorFlow or Keras program: everything runs eagerly, and the first operation whose result is not finite ends it and is reported."""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Callable
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf
from tensorflow.compat import v1

from tensorproof.runners.corners import Corners
from tensorproof.runners.watched import Watched

Function = Callable[..., object]
_PLAIN: dict[str, Callable[..., Any]] = {}
_DRAWS = {"normal": "normal", "uniform": "uniform", "stateless_normal": "normal", "stateless_uniform": "uniform"}


def around(run: Callable[[], object], watched: Watched, corners: Corners, trained: float) -> Callable[[], object]:
    def watching() -> object:
        keras.backend.clear_session()
        keras.utils.set_random_seed(corners.seed)
        keras.config.disable_traceback_filtering()  # where an exception comes from is asked below
        tf.debugging.disable_traceback_filtering()
        tf.debugging.enable_check_numerics()
        tf.config.run_functions_eagerly(True)
        _draws(tf.random, corners)
        _draws(keras.random, corners)
        _models(corners, trained)
        _sessions(watched, corners, trained)
        try:
            return run()
        except tf.errors.InvalidArgumentError as error:
            lines = _built(watched, error) or watched.lines_of(error)
            if "NaN" in str(error) and lines:
                kind = "gradient" if _differentiates(error) else "value"
                watched.report("nan" if "nan" in str(error).split("!!!")[-1].lower() else "inf", kind, lines[-1])
            raise

    return watching


def _built(watched: Watched, error: Exception) -> list[int]:
    """The lines of the program at which an operation of a graph was made, the innermost last."""
    message = str(error).partition("Original stack trace")[0]
    return [int(line) for line in re.findall(rf'File "{re.escape(watched.program)}", line (\d+)', message)]


def _differentiates(error: Exception) -> bool:
    """Whether an exception comes out of the computation of a gradient."""
    return any(f.filename.replace(os.sep, "/").endswith("eager/backprop.py") for f in traceback.extract_tb(error.__traceback__))


def _kept(owner: object, name: str) -> Callable[..., Any]:
    return _PLAIN.setdefault(f"{owner!r}.{name}", getattr(owner, name))


def _draws(module: object, corners: Corners) -> None:
    for name, kind in _DRAWS.items():
        if hasattr(module, name):
            setattr(module, name, _moved(_kept(module, name), kind, corners))


def _moved(plain: Function, kind: str, corners: Corners) -> Function:
    def draw(*args: object, **kwargs: object) -> object:
        made = plain(*args, **kwargs)
        numbers = [a for a in args[1:] if isinstance(a, (int, float))]
        if not hasattr(made, "numpy") or numbers or len(kwargs) > 1:
            return made
        return tf.constant((corners.normal if kind == "normal" else corners.uniform)(made.numpy()))

    return draw


def _models(corners: Corners, trained: float) -> None:
    """A model is trained, or it or a layer is called: its weights may have been trained before. It runs eagerly."""
    model, layer = keras.Model, keras.layers.Layer
    compile_, fit, call = _kept(model, "compile"), _kept(model, "fit"), _kept(layer, "__call__")
    seen: set[int] = set()
    building: list[keras.Layer] = []

    def moved(me: keras.Layer) -> None:
        for weight in me.trainable_weights:
            if id(weight) not in seen and str(weight.dtype).startswith("float"):
                seen.add(id(weight))
                weight.assign(corners.moved(weight, trained))

    def compiled(me: keras.Layer, *args: object, **kwargs: object) -> object:
        return compile_(me, *args, **{**kwargs, "run_eagerly": True, "jit_compile": False})

    def fitted(me: keras.Layer, *args: object, **kwargs: object) -> object:
        moved(me)
        return fit(me, *args, **kwargs)

    def called(me: keras.Layer, *args: object, **kwargs: object) -> object:
        if not me.built and not building:  # the first call creates the weights
            building.append(me)
            try:
                made = call(me, *args, **kwargs)
            finally:
                building.pop()
            if not me.trainable_weights or corners.quiet or _is_symbolic(made):
                return made
        if me.built and not building and not _is_symbolic([*args, *kwargs.values()]):
            moved(me)
        return call(me, *args, **kwargs)

    model.compile, model.fit, layer.__call__ = compiled, fitted, called  # type: ignore[method-assign]


def _is_symbolic(value: object) -> bool:
    return any(isinstance(one, keras.KerasTensor) for one in tf.nest.flatten(value))


def _sessions(watched: Watched, corners: Corners, trained: float) -> None:
    """Sessions of TensorFlow 1: after each run, every float in the graph is computed with the same feed."""
    session = v1.Session
    run = _kept(session, "run")
    moved: set[str] = set()

    def ran(me: v1.Session, fetches: object, feed_dict: object = None, *args: object, **kwargs: object) -> object:
        made = run(me, fetches, feed_dict, *args, **kwargs)
        if feed_dict is None:
            return made
        graph = me.graph
        with graph.as_default():
            for variable in v1.trainable_variables():
                if variable.name not in moved:
                    moved.add(variable.name)
                    variable.load(corners.moved(run(me, variable), trained), me)
        tensors = [t for o in graph.get_operations() if watched_line(watched, o) for t in o.outputs if t.dtype.is_floating]
        for tensor, value in zip(tensors, run(me, tensors, feed_dict)):
            if not np.isfinite(value).all():
                watched.report("nan" if np.isnan(value).any() else "inf", line=watched_line(watched, tensor.op))
                raise SystemExit
        return made

    session.run = ran


def watched_line(watched: Watched, operation: tf.Operation) -> int:
    """The line of the program that made an operation of a graph; 0 for one that is not the program's, or that only holds state."""
    if operation.type in ("Placeholder", "VariableV2", "VarHandleOp") or "gradients" in operation.name:
        return 0
    return next((f.lineno for f in reversed(operation.traceback) if os.path.abspath(f.filename) == watched.program), 0)
