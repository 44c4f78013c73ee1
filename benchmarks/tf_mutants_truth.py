"""Runs programs under TensorFlow and tells which fail and where: one process that has imported TensorFlow, and a fork of it for each program.

    python benchmarks/tf_mutants_truth.py v1|v2 < programs.jsonl > truth.jsonl

Each line read is {"key", "files", "driver", "arguments", "rows"}; each line written is {"key", "outcome", "error", "lines", "message"}.
Nothing is downloaded: data
sets are arrays of zeros of the true shapes with labels in their ranges; long arrays are cut in fit, evaluate and predict to two batches and the odd one;
one epoch stands for all. v1 runs under `tf.compat.v1` with TensorFlow 1 behaviour.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import sys
import tempfile
import time
import traceback
import types
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

SECONDS = 30.0
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1", "OMP_NUM_THREADS": "1"}
DIGITS, COLOURS = (60000, 28, 28), (50000, 32, 32, 3)
PICTURES = {"mnist": (DIGITS, 10), "fashion_mnist": (DIGITS, 10), "cifar10": (COLOURS, 10), "cifar100": (COLOURS, 100)}
HARNESS = r'File "|^    |Detected at node|Graph execution|^Original stack|^Call arguments'
"""Lines of a message that tell where, and not what."""


def main(version: str) -> None:
    os.environ.update(QUIET)
    if version == "v1":
        os.environ["TF_USE_LEGACY_KERAS"] = "1"
    import numpy as np
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    loaded = [tf.keras.datasets, tf.keras.layers, tf.compat.v1.layers if version == "v1" else tf.data]  # before the forks, so that each need not
    for line in sys.stdin:
        program = json.loads(line)
        print(json.dumps({"key": program["key"], **in_a_fork(program, version, tf, np)}), flush=True)
    del loaded


def in_a_fork(program: dict[str, Any], version: str, tf: Any, np: Any) -> dict[str, Any]:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        observed: dict[str, Any] = {"outcome": "fails", "error": "Crash", "lines": [], "message": ""}
        try:
            os.setsid()
            quiet = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(quiet, stream)
            observed = outcome(program, version, tf, np)
        finally:
            os.write(writer, json.dumps(observed).encode()[:60000])
            os._exit(0)
    os.close(writer)
    text, end = b"", time.monotonic() + SECONDS
    while (left := end - time.monotonic()) > 0:
        if not select.select([reader], [], [], left)[0]:
            break
        part = os.read(reader, 65536)
        if not part:
            break
        text += part
    os.close(reader)
    if not text:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return json.loads(text) if text else {"outcome": "time", "error": "", "lines": [], "message": ""}


def outcome(program: dict[str, Any], version: str, tf: Any, np: Any) -> dict[str, Any]:
    """What the program does: runs, or fails with an error at lines of its files."""
    folder = Path(tempfile.mkdtemp(prefix="mutant"))
    for name, text in program["files"].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    driver = str(folder / program["driver"])
    sys.argv = [driver, *program["arguments"]]
    names = first_version(tf) if version == "v1" else None
    shim(tf, np, version, program.get("rows", 0))
    try:
        code = compile(program["files"][program["driver"]], driver, "exec")
        main_module = types.ModuleType("__main__")
        main_module.__dict__["__file__"] = driver
        sys.modules["__main__"] = main_module
        if names is not None:
            sys.modules["tensorflow"] = names
        exec(code, main_module.__dict__)
    except SystemExit as stop:
        if not stop.code:
            return {"outcome": "runs", "error": "", "lines": [], "message": ""}
        return {"outcome": "fails", "error": "SystemExit", "lines": [], "message": str(stop.code)[:120]}
    except BaseException as error:
        text = str(error)
        places = [(f.filename, f.lineno or 0) for f in traceback.extract_tb(error.__traceback__)]
        cause = error.__cause__ or error.__context__
        if cause is not None:
            places += [(f.filename, f.lineno or 0) for f in traceback.extract_tb(cause.__traceback__)]
        places += [(path, int(number)) for path, number in re.findall(r'File "([^"]+)", line (\d+)', text)]
        inside = {(str(Path(p).relative_to(folder)), n) for p, n in places if p.startswith(str(folder))}
        printed = [part for part in text.splitlines() if part.strip() and not re.search(HARNESS, part)]
        return {"outcome": "fails", "error": type(error).__name__, "lines": sorted(inside), "message": " ".join(printed).replace(str(folder), "")[:160]}
    return {"outcome": "runs", "error": "", "lines": [], "message": ""}


def first_version(tf: Any) -> types.ModuleType:
    """TensorFlow as programs of version 1 import it."""
    one = tf.compat.v1
    one.disable_v2_behavior()
    examples = [types.ModuleType(n) for n in ("tensorflow.examples", "tensorflow.examples.tutorials", "tensorflow.examples.tutorials.mnist")]
    for module in examples:
        sys.modules[module.__name__] = module
    examples[2].__dict__["input_data"] = types.SimpleNamespace(read_data_sets=read_data_sets)
    return cast(types.ModuleType, one)


def read_data_sets(_folder: str = "", one_hot: bool = False, reshape: bool = True, **_ignored: Any) -> Any:
    """The tutorials' digits, empty."""
    import numpy as np

    def part(count: int) -> Any:
        def batch(size: int, *_: Any, **__: Any) -> Any:
            return np.zeros((size, 784) if reshape else (size, 28, 28, 1), np.float32), labels(size)

        def labels(size: int) -> Any:
            return np.eye(10, dtype=np.float64)[np.zeros(size, int)] if one_hot else np.zeros(size, np.uint8)

        images: Any = np.zeros((count, 784) if reshape else (count, 28, 28, 1), np.float32)
        return types.SimpleNamespace(images=images, labels=labels(count), num_examples=count, next_batch=batch)

    return types.SimpleNamespace(train=part(55000), validation=part(5000), test=part(10000))


def shim(tf: Any, np: Any, version: str, rows: int) -> None:
    """Data sets without a download (of so many rows, or 0 for the true number), drawing without a screen, short training."""

    class Quiet(types.ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return Quiet(name)

        def __call__(self, *_: Any, **__: Any) -> Any:
            return Quiet("drawn")

        def __iter__(self) -> Any:
            return iter((Quiet("figure"), Quiet("axes")))

        def __getitem__(self, _: Any) -> Any:
            return Quiet("item")

    pyplot = Quiet("matplotlib.pyplot")
    sys.modules["matplotlib"], sys.modules["matplotlib.pyplot"] = Quiet("matplotlib"), pyplot
    sys.modules["matplotlib"].__dict__["pyplot"] = pyplot

    def pictures(name: str) -> Any:
        shape, classes = PICTURES[name]

        def load(*_: Any, **__: Any) -> Any:
            def part(count: int) -> Any:
                labels = (np.arange(count) % classes).astype("uint8" if name.endswith("mnist") else "int64")
                return np.zeros((count, *shape[1:]), "uint8"), labels.reshape(-1, 1) if name.startswith("cifar") else labels

            return part(rows or shape[0]), part(rows or 10000)

        return load

    def reviews(num_words: int = 88587, **_: Any) -> Any:
        def part(count: int) -> Any:
            words = np.empty(count, object)
            words[:] = [[*(1 + (i * 7 + j) % (num_words - 1) for j in range(5 + i % 300)), num_words - 1] for i in range(count)]
            return words, np.arange(count) % 2

        return part(rows or 25000), part(rows or 25000)

    def houses(**_: Any) -> Any:
        return (np.ones((404, 13)), np.ones(404)), (np.ones((102, 13)), np.ones(102))

    where: list[Any] = [tf.keras, tf.compat.v1.keras]
    if version != "v1":
        import keras

        where.append(keras)
    for home in where:
        for name in PICTURES:
            getattr(home.datasets, name).load_data = pictures(name)
        home.datasets.imdb.load_data = reviews
        home.datasets.boston_housing.load_data = houses
        short_training(home.Model, np)


def short_training(model: Any, np: Any) -> None:
    """fit with one epoch, and with two batches and the odd one of what is longer; histories as long as were asked for."""
    fit, evaluate, predict = model.fit, model.evaluate, model.predict

    def keep(many: Any, batch: int) -> Any:
        """How many rows are kept, or None where the arrays are not all alike in length."""
        found = [a for a in flat(many) if hasattr(a, "shape") and len(a.shape) > 0]
        counts = {a.shape[0] for a in found}
        if len(counts) != 1 or any(not isinstance(a, np.ndarray) for a in found):
            return None
        count = counts.pop()
        return 2 * batch + count % batch if count > max(4 * batch, 256) else None

    def flat(value: Any) -> list[Any]:
        if isinstance(value, (list, tuple)):
            return [f for v in value for f in flat(v)]
        return [f for v in value.values() for f in flat(v)] if isinstance(value, dict) else [value]

    def cut(value: Any, count: int) -> Any:
        if isinstance(value, np.ndarray):
            return value[:count]
        if isinstance(value, (list, tuple)) and any(isinstance(v, (np.ndarray, list, tuple)) for v in value):
            return type(value)(cut(v, count) for v in value)
        return {k: cut(v, count) for k, v in value.items()} if isinstance(value, dict) else value

    def size(batch: Any) -> int:
        return batch if isinstance(batch, int) and batch > 0 else 32

    def short_fit(self: Any, x: Any = None, y: Any = None, batch_size: Any = None, epochs: Any = 1, *rest: Any, **words: Any) -> Any:
        given = [v for v in (x, y, words.get("sample_weight")) if v is not None]
        rows = keep(given, size(batch_size)) if isinstance(x, (np.ndarray, list, tuple, dict)) else None
        if rows is not None:
            x, y = cut(x, rows), cut(y, rows)
            if words.get("sample_weight") is not None:
                words["sample_weight"] = cut(words["sample_weight"], rows)
        validation = words.get("validation_data")
        if isinstance(validation, tuple) and (few := keep(list(validation), size(batch_size))) is not None:
            words["validation_data"] = cut(validation, few)
        many = epochs if isinstance(epochs, int) and epochs > 1 else 1
        start = words.get("initial_epoch", 0)
        history = fit(self, x, y, batch_size, start + 1 if many > start else epochs, *rest, **words)
        for values in history.history.values():
            values *= many - start if many > start else 1
        return history

    def short_evaluate(self: Any, x: Any = None, y: Any = None, batch_size: Any = None, *rest: Any, **words: Any) -> Any:
        rows = keep([v for v in (x, y) if v is not None], size(batch_size))
        if rows is not None and isinstance(x, (np.ndarray, list, tuple, dict)):
            x, y = cut(x, rows), cut(y, rows)
        return evaluate(self, x, y, batch_size, *rest, **words)

    def short_predict(self: Any, x: Any, batch_size: Any = None, *rest: Any, **words: Any) -> Any:
        rows = keep(x, size(batch_size)) if isinstance(x, np.ndarray) else None
        if rows is None:
            return predict(self, x, batch_size, *rest, **words)
        predicted = predict(self, cut(x, rows), batch_size, *rest, **words)
        return np.resize(predicted, (len(x), *predicted.shape[1:])) if isinstance(predicted, np.ndarray) else predicted

    model.fit, model.evaluate, model.predict = short_fit, short_evaluate, short_predict


if __name__ == "__main__":
    main(sys.argv[1])
