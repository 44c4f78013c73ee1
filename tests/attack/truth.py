"""What a program does under the real library: run in a forked child, so that hundreds run within one import of torch."""

from __future__ import annotations

import os
import pickle
import random
import resource
import signal
import traceback
import warnings
from typing import NamedTuple

FILE = "program.py"
SEEDS = (0, 1, 2)
MOST_SECONDS = 20


class Truth(NamedTuple):
    """Whether a program ends with an exception for one of the seeds, where, and which."""

    crashes: bool
    line: int = 0
    exception: str = ""
    message: str = ""


def run(text: str) -> Truth:
    """The first crash of a program among its seeds, or that there is none."""
    return next((one for seed in SEEDS if (one := _forked(text, seed)).crashes), Truth(False))


def _forked(text: str, seed: int) -> Truth:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        told = pickle.dumps(_run(text, seed, writer))
        os.write(writer, told[:60_000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        got = stream.read()
    os.waitpid(child, 0)
    return pickle.loads(got) if got else Truth(True, 0, "killed", "the process ended")


def _run(text: str, seed: int, writer: int) -> Truth:
    import numpy
    import torch

    signal.alarm(MOST_SECONDS)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    warnings.simplefilter("ignore")
    random.seed(seed)
    numpy.random.seed(seed)
    torch.manual_seed(seed)
    try:
        exec(compile(text, FILE, "exec"), {"__name__": "__main__"})
    except SystemExit as ended:
        if ended.code in (None, 0):
            return Truth(False)
        return _crash(ended)
    except BaseException as error:
        return _crash(error)
    return Truth(False)


def _crash(error: BaseException) -> Truth:
    lines = [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    line = lines[-1] if lines else getattr(error, "lineno", 0) or 0
    return Truth(True, line, type(error).__name__, str(error)[:300])


def prepare() -> None:
    """Import what programs use, before the first fork."""
    import numpy
    import torch
    import torch.utils.data

    torch.set_num_threads(1)
    assert numpy
