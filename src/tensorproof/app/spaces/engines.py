"""Where the vectors of a space are decided: in this process, in several, or on a Spark cluster. The result is the same."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import reduce

from tensorproof.app.spark import archive, sentence, started
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.space.ranges import Tally, added, packed_tally, ranges, tally
from tensorproof.engines.space.scenarios import Scenario
from tensorproof.engines.space.shipping import pack
from tensorproof.terms.records import dataclass

ENGINES = ("local", "spark")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Engine:
    """Which engine, on how many processes or which cluster."""

    name: str = "local"
    jobs: int = 1
    master: str | None = None
    progress: Progress | None = None
    """Is given how many pieces of how many are done."""


def tallies(scenarios: Sequence[Scenario], engine: Engine) -> list[Tally]:
    """How many vectors of each scenario break each check first, by deciding every one of them."""
    work = [(at, start, stop) for at, s in enumerate(scenarios) for start, stop in ranges(s.parameters)]
    if engine.name == "spark":
        done = _on_spark(scenarios, work, engine)
    elif engine.jobs > 1 and len(work) > 1:
        done = _in_processes(scenarios, work, engine)
    else:
        done = []
        for number, (at, start, stop) in enumerate(work, 1):
            done.append((at, tally(scenarios[at].parameters, scenarios[at].checks.order, start, stop)))
            _progress(engine, number, len(work))
    return [reduce(added, (found for at, found in done if at == number), Tally()) for number in range(len(scenarios))]


def _progress(engine: Engine, done: int, of: int) -> None:
    if engine.progress is not None:
        engine.progress(done, of)


def _in_processes(scenarios: Sequence[Scenario], work: list[tuple[int, int, int]], engine: Engine) -> list[tuple[int, Tally]]:
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    packed = [pack(s.parameters, s.checks.order) for s in scenarios]
    done: list[tuple[int, Tally]] = []
    try:
        with ProcessPoolExecutor(engine.jobs, mp_context=get_context("spawn")) as pool:
            waiting = {pool.submit(packed_tally, packed[at], start, stop): at for at, start, stop in work}
            for number, future in enumerate(as_completed(waiting), 1):
                done.append((waiting[future], future.result()))
                _progress(engine, number, len(work))
    except BrokenProcessPool:
        raise BadInput("a process that decides vectors ended before its work was done (out of memory?); nothing was written") from None
    return done


def _on_spark(scenarios: Sequence[Scenario], work: list[tuple[int, int, int]], engine: Engine) -> list[tuple[int, Tally]]:
    """Send the packed checks once, and a piece of the numbers to each task; Spark runs the tasks of a lost worker again."""
    context = started("tensorproof space", engine.master)
    try:
        with tempfile.TemporaryDirectory() as folder:
            context.addPyFile(archive(folder))
            packed = context.broadcast([pack(s.parameters, s.checks.order) for s in scenarios])

            def decide(piece: tuple[int, int, int]) -> tuple[int, Tally]:
                from tensorproof.engines.space.ranges import packed_tally

                at, start, stop = piece
                return at, packed_tally(packed.value[at], start, stop)

            tasks = max(1, min(len(work), 4 * context.defaultParallelism))
            found: list[tuple[int, Tally]] = context.parallelize(work, tasks).map(decide).collect()
            return found
    except BadInput:
        raise
    except Exception as error:
        raise BadInput(f"the Spark job failed: {sentence(error)}; nothing was written") from None
    finally:
        context.stop()
