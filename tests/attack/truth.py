"""What a program does under the real library: run in a forked child, so that hundreds run within one import of torch."""

from __future__ import annotations

import linecache
import os
import pickle
import random
import resource
import select
import signal
import sys
import tempfile
import traceback
import types
import warnings
from collections.abc import Iterable
from typing import NamedTuple

from tests.attack.drawing import FLAGS

FILE = "program.py"
SEEDS = (0, 1, 2, 3)
MANY_SEEDS = range(32)
MOST_SECONDS = 10
"""Of the processor's time: on a loaded machine a program that ends takes longer by the clock."""
MOST_WAITED = 90
"""Seconds by the clock, for a program that waits for ever."""
_folder = ""


class Truth(NamedTuple):
    """Whether a program ends with an exception for one of the seeds, where, and which."""

    crashes: bool
    line: int = 0
    exception: str = ""
    message: str = ""


def run(text: str, seeds: Iterable[int] = SEEDS) -> Truth:
    """The first crash of a program among its seeds, or that it has none; each in a process of its own."""
    return next((one for seed in seeds if (one := _forked(text, seed)).crashes), Truth(False))


def run_often(text: str) -> Truth:
    """With so many seeds that a branch on random numbers is taken both ways under each setting of the environment."""
    return run(text, MANY_SEEDS)


def _forked(text: str, seed: int) -> Truth:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        begin()
        os.write(writer, pickle.dumps(one_run(text, seed))[:60_000])
        os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], MOST_WAITED + 10)
    if not ready:
        os.kill(child, signal.SIGKILL)
    with os.fdopen(reader, "rb") as stream:
        got = stream.read()
    os.waitpid(child, 0)
    return pickle.loads(got) if got else Truth(True, 0, "killed", "the process ended")


def begin() -> None:
    """What a child does before its first program."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    warnings.simplefilter("ignore")
    sys.argv = [FILE]
    os.chdir(tempfile.mkdtemp(dir=_folder or None))


def _late(*_: object) -> None:
    raise TimeoutError("the program ran too long")


def one_run(text: str, seed: int) -> Truth:
    """One run in this process; a flag of the environment for each bit of the seed."""
    import numpy
    import torch

    with open(FILE, "w", encoding="utf-8") as stream:
        stream.write(text)
    linecache.clearcache()
    for bit, name in enumerate(FLAGS):
        os.environ[name] = str(seed >> bit & 1)
    random.seed(seed)
    numpy.random.seed(seed)
    torch.manual_seed(seed)
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    for late in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(late, _late)
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    signal.alarm(MOST_WAITED)
    try:
        exec(compile(text, FILE, "exec"), main.__dict__)
    except SystemExit as ended:
        return Truth(False) if ended.code in (None, 0) else _crash(ended)
    except BaseException as error:
        return _crash(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
    return Truth(False)


def _crash(error: BaseException) -> Truth:
    lines = [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(FILE)]
    line = lines[-1] if lines else getattr(error, "lineno", 0) or 0
    return Truth(True, line, type(error).__name__, str(error)[:300])


def prepare(tensorflow: bool = False) -> None:
    """Import what programs use, before the first fork."""
    global _folder
    import numpy
    import torch
    import torch._dynamo  # what optimizers import at their first step takes seconds
    import torch.utils.data

    _folder = _folder or tempfile.mkdtemp()
    torch.set_num_threads(1)
    assert numpy
    if tensorflow:
        os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1"}
        import keras  # type: ignore[import-not-found,unused-ignore]
        import tensorflow as tf  # type: ignore[import-not-found,unused-ignore]

        assert keras and tf
