"""Real calls in a process of their own: values come back as arrays, and a call that ends the process costs itself alone.

    with Process("torch") as torch:
        seen = torch.run([Step("torch.log", (x,))])[0]

A program of several steps names earlier results by `Result`. Requests go to the child by pickle, since they are ours; what comes back is JSON, so that nothing
that a library made is unpickled here.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from tensorproof.runners.observed import Observed, Seen

RUNNERS = {
    "torch": "torch_runner", "aten": "torch_runner", "tf": "tf_runner", "graphdef": "graphdef_runner", "keras": "keras_runner", "numpy": "numpy_runner",
    "onnx": "onnx_runner",
}  # fmt: skip
DIED = "the library ended the process"
_ENVIRONMENT = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
_MOST = 1 << 28


@dataclass(frozen=True, slots=True)
class Result:
    """The result of an earlier step; `part` is its place where a step gives several."""

    step: int
    part: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One call: abstract tensors with contents stand for real ones, `Result` for what an earlier step gave."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict[str, Any])
    init: dict[str, Any] | None = None


def end(child: subprocess.Popen[bytes]) -> None:
    """End a child process, and close what is read of it and written to it."""
    child.kill()
    child.wait()
    for stream in (child.stdin, child.stdout):
        if stream is not None:
            stream.close()


class Process:
    """A child that runs calls of one framework. It is started at the first run, and again after a call has ended it."""

    def __init__(self, framework: str, runner: str = "", seconds: float = 60.0) -> None:
        self.runner = runner or f"tensorproof.runners.{RUNNERS[framework]}"
        self.seconds = seconds
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is not None:
            end(child)

    def run(self, steps: Sequence[Step]) -> list[Observed]:
        """What the real library gave for each step, the numbers included (`Seen.array`). After a step that failed there are no more."""
        child = self._started()
        assert child.stdin is not None and child.stdout is not None
        data = pickle.dumps(list(steps))
        try:
            child.stdin.write(struct.pack("<Q", len(data)) + data)
            child.stdin.flush()
        except BrokenPipeError:
            self.close()
            return [Observed(error=DIED)]
        found: list[Observed] = []
        for line in self._lines(child):
            if line == b"done\n":
                return found
            found.append(_read(json.loads(line)))
        self.close()
        return [*found, Observed(error=DIED)]

    def _lines(self, child: subprocess.Popen[bytes]) -> Iterator[bytes]:
        """What the child says, until it ends or is silent for too long."""
        import threading

        assert child.stdout is not None
        late = threading.Timer(self.seconds, child.kill)
        late.start()
        try:
            while line := child.stdout.readline():
                yield line
        finally:
            late.cancel()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self.close()
            command = [sys.executable, "-c", f"from tensorproof.runners.process import serve; serve({self.runner!r})"]
            where = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
            self._child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **_ENVIRONMENT, **where}
            )
        return self._child


def _plain(value: Any) -> Any:
    """An observation as JSON."""
    if isinstance(value, Seen):
        try:
            array = value.array()
            if array.dtype.kind not in "biufc" or array.nbytes > _MOST:
                raise TypeError
            return {"shape": value[0], "label": value[1], "kind": array.dtype.str, "data": base64.b64encode(array.tobytes()).decode()}
        except Exception:
            return {"shape": value[0], "label": value[1]}
    if isinstance(value, (tuple, list)):
        return {"items": [_plain(v) for v in value]}
    return {"plain": value if isinstance(value, (bool, int, float, str)) else repr(value)}


def _read_value(value: dict[str, Any]) -> Any:
    if "items" in value:
        return tuple(_read_value(v) for v in value["items"])
    if "plain" in value:
        return value["plain"]
    made = Seen.of(None if value["shape"] is None else tuple(value["shape"]), value["label"], None)
    if "data" in value:
        import numpy as np

        made.real = np.frombuffer(base64.b64decode(value["data"]), np.dtype(value["kind"])).reshape(made[0])
    return made


def _read(line: dict[str, Any]) -> Observed:
    return Observed(_read_value(line["outputs"]), line["error"], line["aside"])


def _put_in(value: Any, results: list[Any]) -> Any:
    """Arguments with the results of earlier steps in their places, as tensors with contents."""
    if isinstance(value, Result):
        made = results[value.step]
        return _abstract(made if value.part is None else made[value.part])
    if type(value) in (tuple, list):
        return type(value)(_put_in(v, results) for v in value)
    return {k: _put_in(v, results) for k, v in value.items()} if isinstance(value, dict) else value


def _abstract(seen: Any) -> Any:
    from tensorproof.terms.dtypes import BY_LABEL
    from tensorproof.terms.shapes import Shape
    from tensorproof.terms.tensor import TensorType

    if not isinstance(seen, Seen):
        return seen
    return TensorType(Shape(seen[0]), BY_LABEL[seen[1]], contents=tuple(seen.array().ravel().tolist()))


def serve(module: str) -> None:
    """The child: reads programs, runs their steps, says what came out."""
    runner: Any = import_module(module)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    while head := sys.stdin.buffer.read(8):
        steps: list[Step] = pickle.loads(sys.stdin.buffer.read(struct.unpack("<Q", head)[0]))
        results: list[Any] = []
        for step in steps:
            seen = runner.run(step.name, _put_in(step.args, results), _put_in(step.kwargs, results), step.init)
            print(json.dumps({"outputs": _plain(seen.outputs), "error": seen.error, "aside": seen.aside}), file=answers, flush=True)
            if seen.error or seen.aside:
                break
            results.append(seen.outputs)
        print("done", file=answers, flush=True)
