"""Shrinks a call that ends its process: each smaller one is tried in a worker, which is lost where it still ends."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Any

from tensorproof.equivalence.api import Api
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.campaigns.worker import Death, Worker
from tensorproof.equivalence.drawing import is_valid_call
from tensorproof.equivalence.shrink import candidates

TRIES = 24
"""Each may cost the start of a worker."""


def smaller(finding: Mapping[str, Any], api: Api, worker: Worker, seconds: float | None = None) -> dict[str, Any]:
    """The finding with a smaller call that ends its process in the same way."""
    best = dict(finding)
    if finding["call"] is None or finding["symptom"] == "hang":
        return best
    call, end, tries, improved = Call.from_json(finding["call"], api), monotonic() + (seconds or 0.0), 0, True
    checked = is_valid_call(call)
    while improved:
        improved = False
        for candidate in candidates(call):
            if tries >= TRIES or (seconds is not None and monotonic() > end):
                return best
            if checked and not is_valid_call(candidate):
                continue
            tries += 1
            if (made := _ends(best, candidate, worker)) is not None:
                call, best, improved = candidate, made, True
                break
    return best


def _ends(finding: Mapping[str, Any], call: Call, worker: Worker) -> dict[str, Any] | None:
    """The finding of another call, where that ends its process too."""
    asked = {**finding, "call": call.as_json()}
    described = worker.ask({"pair": asked})
    if isinstance(described, Death) or not described.get("pair"):
        return None
    asked["pair"] = described["pair"]
    answer = worker.ask({"attempt": asked})
    return asked if isinstance(answer, Death) and answer.why == finding["symptom"] else None
