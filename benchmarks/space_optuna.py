"""Optuna on a space of which half the vectors are invalid: how many of 120 trials are trained with and without `ValidSampler`.

    python benchmarks/space_optuna.py [--trials 120] [--seed 0]

Each trial builds the network and trains it for two steps; one that raises is spent. The verdict of every vector that was tried is compared with what
really happened."""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from pathlib import Path
from time import process_time
from typing import Any

PROGRAM = """
import torch
from torch import nn

def train(kernel, stride, pool, width, heads, act, rate=0.1):
    torch.manual_seed(0)
    conv = nn.Conv2d(3, width, kernel, stride)
    attention = nn.MultiheadAttention(width, heads, batch_first=True)
    head = nn.Linear(width, 10)
    optimizer = torch.optim.SGD([*conv.parameters(), *attention.parameters(), *head.parameters()], lr=rate)
    x, y = torch.randn(4, 3, 20, 20), torch.tensor([1, 2, 3, 4])
    for step in range(2):
        out = conv(x)
        out = nn.functional.gelu(out) if act == "gelu" else nn.functional.relu(out)
        out = nn.functional.max_pool2d(out, pool).flatten(2).transpose(1, 2)
        out = head(attention(out, out, out)[0].mean(1))
        loss = nn.functional.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()
"""
DOMAINS: dict[str, Any] = {
    "kernel": range(1, 15), "stride": range(1, 5), "pool": range(1, 6), "width": [8, 12, 16, 24], "heads": range(1, 9), "act": ["relu", "gelu"],
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    import optuna

    from tensorproof.integrations.optuna import ValidSampler, check
    from tensorproof.integrations.space import Space, Verdict

    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "train.py"
        file.write_text(PROGRAM, "utf-8")
        start = process_time()
        space = Space.of_program(str(file), DOMAINS, entry="train")
        seconds = process_time() - start
    names: dict[str, Any] = {}
    exec(PROGRAM, names)
    print(f"space: {space.count()} valid, {space.count(Verdict.INVALID)} invalid, {space.count(Verdict.UNKNOWN)} unknown; {seconds:.2f} s CPU")
    wrong = 0

    def suggested(trial: Any) -> dict[str, Any]:
        return {
            name: trial.suggest_int(name, domain[0], domain[-1]) if isinstance(domain, range) else trial.suggest_categorical(name, list(domain))
            for name, domain in DOMAINS.items()
        }

    def objective(trial: Any) -> float:
        nonlocal wrong
        vector = suggested(trial)
        try:
            loss = float(names["train"](**vector, rate=trial.suggest_float("rate", 1e-3, 1.0, log=True)))
        except Exception:
            wrong += space.valid(vector)
            raise
        wrong += space.verdict(vector) is Verdict.INVALID
        return loss

    def pruning(trial: Any) -> float:
        suggested(trial)
        check(trial, space)
        return objective(trial)

    failed = 0
    for inner in ("RandomSampler", "TPESampler", "NSGAIISampler", "QMCSampler"):
        plain = getattr(optuna.samplers, inner)
        valid = ValidSampler(space, plain(seed=given.seed))
        for title, sampler, run in (
            (inner, plain(seed=given.seed), objective),
            (f"{inner}, check(trial) in the objective", plain(seed=given.seed), pruning),
            (f"ValidSampler({inner})", valid, objective),
        ):  # fmt: skip
            study = optuna.create_study(sampler=sampler)
            start = process_time()
            study.optimize(run, n_trials=given.trials, catch=(Exception,))
            trained = sum(t.state is optuna.trial.TrialState.COMPLETE for t in study.trials)
            print(f"{title}: {trained} of {len(study.trials)} trials trained, {len(study.trials) - trained} spent; {process_time() - start:.1f} s CPU")
        failed += trained < given.trials
        print(f"  {valid.rejected} proposals rejected inside of sampling")
    print(f"verdicts that a run contradicts: {wrong}")
    return int(failed > 0 or wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
