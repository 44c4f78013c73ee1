"""What the constructors of metrics refuse: words that they do not have, and numbers out of their range."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.values import Kwargs, List, Machine, Value

_WORDS: dict[tuple[str, str], tuple[str | None, ...]] = {
    ("F1Score", "average"): (None, "micro", "macro", "weighted"),
    ("FBetaScore", "average"): (None, "micro", "macro", "weighted"),
    ("AUC", "curve"): ("PR", "ROC", "PRGAIN", "pr", "roc", "prgain"),
    ("AUC", "summation_method"): ("interpolation", "majoring", "minoring", "Interpolation", "Majoring", "Minoring"),
    ("R2Score", "class_aggregation"): (None, "uniform_average", "variance_weighted_average"),
}
_SHARES = {"PrecisionAtRecall": "recall", "RecallAtPrecision": "precision", "SensitivityAtSpecificity": "specificity",
           "SpecificityAtSensitivity": "sensitivity"}  # fmt: skip
"""The argument of a metric that lies between 0 and 1."""
_LEAST = {("AUC", "num_thresholds"): 2, ("R2Score", "num_regressors"): 0, **{(name, "num_thresholds"): 1 for name in _SHARES}}
_THRESHOLDS = ("Precision", "Recall", "TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives")


def check(m: Machine, name: str, given: Kwargs, node: ast.AST) -> None:
    """The arguments of a metric's constructor."""
    for argument, value in given.items():
        words = _WORDS.get((name, argument))
        if words is not None and (value is None or isinstance(value, str)) and value not in words:
            raise m.raised("ValueError", f"{argument} of {name} is one of {', '.join(map(repr, words))}, and not {value!r}", node, "keras/word")
        least = _LEAST.get((name, argument))
        if least is not None and isinstance(value, int) and value < least:
            raise m.raised("ValueError", f"{argument} of {name} is at least {least}, and not {value}", node)
        if _SHARES.get(name) == argument or (argument == "thresholds" and name in _THRESHOLDS):
            _share(m, name, argument, value, node)
    _scores(m, name, given, node)


def _share(m: Machine, name: str, argument: str, value: Value, node: ast.AST) -> None:
    listed: list[Any] = list(value.items) if isinstance(value, List) else list(value) if isinstance(value, tuple) else [value]
    for one in listed:
        if isinstance(one, (int, float)) and not 0 <= one <= 1:
            raise m.raised("ValueError", f"{argument} of {name} lies between 0 and 1, and is {one}", node)


def _scores(m: Machine, name: str, given: Kwargs, node: ast.AST) -> None:
    if name not in ("F1Score", "FBetaScore"):
        return
    threshold, beta = given.get("threshold"), given.get("beta", 1.0)
    if threshold is not None and isinstance(threshold, (int, float)) and not (isinstance(threshold, float) and 0 < threshold <= 1):
        raise m.raised("ValueError", f"threshold of {name} is a float between 0 and 1, and is {threshold}", node)
    if isinstance(beta, (int, float)) and not (isinstance(beta, float) and beta > 0):
        raise m.raised("ValueError", f"beta of {name} is a float above 0, and is {beta}", node)
