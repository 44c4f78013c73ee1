"""A campaign on a Spark cluster: jobs go out in rounds, and each round is recorded before the next."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from time import monotonic
from typing import Any

from tensorproof.app.spark import archive, sentence, started
from tensorproof.diagnostics.errors import BadInput
from tensorproof.equivalence.campaigns.campaign import Budget, Campaign, Plan, Progress
from tensorproof.equivalence.campaigns.store import Store

JOBS_PER_CORE = 8


def on_spark(plan: Plan, store: Store, budget: Budget, master: str | None, progress: Progress | None) -> None:
    """The cluster's machines need the library; Tensorproof itself travels along."""
    context = started("tensorproof library", master)
    end = monotonic() + budget.seconds if budget.seconds else None
    waiting = Campaign(plan, store, budget).waiting()
    try:
        with tempfile.TemporaryDirectory() as folder:
            context.addFile(archive(folder))
            cores = max(1, context.defaultParallelism)
            while (jobs := list(islice(waiting, JOBS_PER_CORE * cores))) and (end is None or monotonic() < end):
                for result in context.parallelize([job.as_json() for job in jobs], cores).mapPartitions(_runner()).collect():
                    store.record(result)
                if progress is not None:
                    progress(store.totals())
    except BadInput:
        raise
    except Exception as error:
        raise BadInput(f"the Spark job failed: {sentence(error)}; what was recorded stays") from None
    finally:
        context.stop()


def _runner() -> Callable[[Iterator[dict[str, Any]]], Iterator[dict[str, Any]]]:
    """What runs on a machine of the cluster. It is made here, so that Spark sends its text and not its name."""

    def run_jobs(jobs: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        import sys
        import tempfile
        import zipfile

        from pyspark import SparkFiles

        with tempfile.TemporaryDirectory() as folder:
            with zipfile.ZipFile(SparkFiles.get("tensorproof.zip")) as packed:
                packed.extractall(folder)
            sys.path.insert(0, folder)
            from tensorproof.equivalence.campaigns.campaign import run_job
            from tensorproof.equivalence.campaigns.job import Job
            from tensorproof.equivalence.campaigns.worker import Worker

            worker: Worker | None = None
            try:
                for kept in jobs:
                    job = Job.from_json(kept)
                    worker = worker or Worker(job.library)
                    result = run_job(worker, job)
                    if result is not None:
                        yield result
            finally:
                if worker is not None:
                    worker.close()
                sys.path.remove(folder)

    return run_jobs
