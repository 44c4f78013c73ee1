"""Whether variables of TensorFlow 1 have values: they get them when an operation runs, a checkpoint is restored or a value is loaded."""

from __future__ import annotations

import ast

from tensorproof.values.port import Args, Kwargs, Machine

BEGAN = "tf1 variables have values"
"""Where the machine keeps whether the program may have given variables their values."""


def load(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """`variable.load(value, session)`."""
    m.model_state[BEGAN] = True
