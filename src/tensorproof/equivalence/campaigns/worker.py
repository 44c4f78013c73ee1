"""Workers: processes that import a library once and run jobs. A call that ends, hangs or fills its process costs that call alone."""

from __future__ import annotations

import json
import mmap
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import IO, Any

from tensorproof.equivalence.campaigns.job import Job
from tensorproof.equivalence.running import Broken
from tensorproof.runners.process import end

SIZE = 512
"""Bytes of the shared page in which a worker writes what it is about to run."""
MEMORY = 8 << 30
OLDEST = {"torch": (2, 4), "tensorflow": (2, 16), "keras": (2, 16)}
"""The oldest version of each library (of TensorFlow for Keras) that the rules are written for."""
FROM_OUTSIDE = ("SIGKILL", "SIGTERM")
"""Signals that no call gives to its own process: the user or the system ends it."""
STARTING = 180.0
IDLE = 5.0
"""How many times as long as its processor's time a call may take."""
BATCH = 5.0
_ENVIRONMENT = {
    "TF_CPP_MIN_LOG_LEVEL": "3", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1",
    "TF_ENABLE_ONEDNN_OPTS": "1", "KERAS_BACKEND": "tensorflow", "PYTHONHASHSEED": "0", "TORCHINDUCTOR_COMPILE_THREADS": "1",
    "TORCHINDUCTOR_FX_GRAPH_CACHE": "0", "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
}  # fmt: skip


class NotStarted(Exception):
    """A worker that could not begin; the words say why."""


class InternalError(Exception):
    """A mistake of ours in a worker."""


@dataclass(frozen=True, slots=True)
class Death:
    """How a worker ended, and what it was about to run: "name number rule"."""

    why: str
    mark: str


class Worker:
    """The parent's end of one process."""

    def __init__(self, library: str, preload: str = "", seconds: float = 60.0) -> None:
        self.library, self.preload, self.seconds = library, preload, seconds
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self._file.truncate(SIZE)
        self._page = mmap.mmap(self._file.fileno(), SIZE)
        self._child: subprocess.Popen[bytes] | None = None
        self.hello: dict[str, Any] = {}

    def close(self) -> None:
        self._end()
        self._page.close()
        self._file.close()

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            end(child)

    def start(self) -> dict[str, Any]:
        """What the worker says of itself: the library's version, and rules that cannot run here."""
        if self._child is None:
            self._page[:SIZE] = b"\0" * SIZE
            begin = f"serve({self.library!r}, {self.preload!r}, {self._file.fileno()})"
            command = [sys.executable, "-c", f"from tensorproof.equivalence.campaigns.worker import {begin.partition('(')[0]}; {begin}"]
            where = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
            self._child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **_ENVIRONMENT, **where},
                pass_fds=(self._file.fileno(),), start_new_session=True,
            )  # fmt: skip
            answer = self._answer(STARTING)
            if isinstance(answer, Death):
                raise NotStarted(f"a worker for {self.library} could not start: {answer.why}")
            if answer.get("error"):
                self._end()
                raise NotStarted(str(answer["error"]))
            self.hello = dict(answer)
        return self.hello

    def ask(self, request: Mapping[str, Any]) -> Mapping[str, Any] | Death:
        """The answer of a worker; how it ended where it did. A worker that somebody else ended is asked once more: the call is not to blame."""
        answer = self._ask(request)
        return self._ask(request) if isinstance(answer, Death) and answer.why in FROM_OUTSIDE else answer

    def _ask(self, request: Mapping[str, Any]) -> Mapping[str, Any] | Death:
        self.start()
        assert self._child is not None and self._child.stdin is not None
        try:
            self._child.stdin.write(json.dumps(request).encode() + b"\n")
            self._child.stdin.flush()
        except BrokenPipeError:  # it is gone: the answer says how
            return self._answer(self.seconds)
        return self._answer(self.seconds)

    def run(self, job: Job) -> Mapping[str, Any] | Death:
        return self.ask({"job": job.as_json()})

    def processor(self) -> float:
        """The processor's seconds of the process, and of those that it started (Keras with another backend)."""
        if self._child is None:
            return 0.0
        started = [int(pid) for path in Path(f"/proc/{self._child.pid}/task").glob("*/children") for pid in path.read_text().split()]
        return sum(map(processor_seconds, [self._child.pid, *started]))

    def mark(self) -> str:
        return bytes(self._page[8:SIZE]).rstrip(b"\0").decode(errors="replace")

    def _answer(self, seconds: float) -> Mapping[str, Any] | Death:
        """Read one line. The worker is ended when its mark stays the same for too long."""
        child = self._child
        assert child is not None and child.stdout is not None
        last, since, spent, line = bytes(self._page[:8]), monotonic(), processor_seconds(child.pid), b""
        with selectors.DefaultSelector() as waiting:
            waiting.register(child.stdout, selectors.EVENT_READ)
            while True:
                if waiting.select(1.0):
                    part = os.read(child.stdout.fileno(), 1 << 20)
                    if not part:
                        return self._died("")
                    line += part
                    if line.endswith(b"\n"):
                        made: Mapping[str, Any] = json.loads(line)
                        if "broken" in made:
                            return self._died(made["broken"])
                        if "bug" in made:
                            raise InternalError(f"internal error in a worker at '{self.mark()}': {made['bug']}\n{made['trail']}")
                        return made
                elif (now := bytes(self._page[:8])) != last:
                    last, since, spent = now, monotonic(), processor_seconds(child.pid)
                elif processor_seconds(child.pid) - spent > self._patience(seconds) or monotonic() - since > IDLE * self._patience(seconds):
                    return self._died(f"no answer in {seconds:g} s")

    def _patience(self, seconds: float) -> float:
        """A batch, which is compiled as a whole, may take longer."""
        return BATCH * seconds if self.mark().endswith(" *") else seconds

    def _died(self, why: str) -> Death:
        child, mark = self._child, self.mark()
        assert child is not None
        if not why:
            status = child.wait()
            why = signal.Signals(-status).name if -status in set(signal.Signals) else f"exit status {status}"
        self._end()
        return Death(why, mark)


def processor_seconds(process: int) -> float:
    """The processor's time that a process has used: on a busy machine a call takes longer and does not hang. 0 where the system does not say."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0


def after(job: Job, death: Death) -> Job:
    """The job again without what ended the worker; one by one when that was a batch."""
    if death.mark.endswith(" *"):
        return replace(job, alone=True)
    return replace(job, skip=(*job.skip, death.mark))


# --- the child ---


class _Page:
    """Where the child writes what it is about to run. It outlives the child."""

    def __init__(self, descriptor: int) -> None:
        self.page = mmap.mmap(descriptor, SIZE)
        self.count = 0

    def say(self, words: str) -> None:
        self.count += 1
        self.page[:SIZE] = self.count.to_bytes(8, "little") + words.encode()[: SIZE - 8].ljust(SIZE - 8, b"\0")


def serve(library: str, preload: str, descriptor: int) -> None:
    """The child: reads requests, answers each with a line."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    page = _Page(descriptor)
    try:
        served = _begin(library, preload, page)
        hello = served.hello()
    except Exception as error:
        print(json.dumps({"error": _sentence(library, error)}), file=answers, flush=True)
        return
    print(json.dumps(hello), file=answers, flush=True)
    for line in sys.stdin:
        try:
            answer = json.dumps(served.answer(json.loads(line)))
        except Broken as error:
            print(json.dumps({"broken": str(error)}), file=answers, flush=True)
            return
        except Exception as error:  # a mistake of ours: shown, never taken for one of the library
            answer = json.dumps({"bug": f"{type(error).__name__}: {error}", "trail": traceback.format_exc()[-2000:]})
        print(answer, file=answers, flush=True)


class TooOld(Exception):
    """An installed library that is older than the rules are written for."""


def _sentence(library: str, error: Exception) -> str:
    if isinstance(error, TooOld):
        return str(error)
    if isinstance(error, ModuleNotFoundError):
        return f"{error.name} is not installed; library {library} needs it"
    return f"{library} cannot be loaded: {type(error).__name__}: {error}"


def numbers(version: str) -> tuple[int, ...]:
    """The first two numbers of a version."""
    return tuple(int(part) for part in version.split("+")[0].split(".")[:2] if part.isdecimal())


def _begin(library: str, preload: str, page: _Page) -> Any:
    import resource
    from importlib import import_module

    from tensorproof.equivalence.campaigns.serving import Served
    from tensorproof.equivalence.dialects import dialect

    spoken = dialect(library)
    if numbers(spoken.version()) < OLDEST[library]:
        raise TooOld(f"{library} {spoken.version()} is too old: the rules are written for {'.'.join(map(str, OLDEST[library]))} and later")
    if preload:
        import_module(preload)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    return Served(library, spoken, page.say)
