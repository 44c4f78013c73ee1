"""An optimizer of Keras 3 changes only the variables that it was built with: those of the first model that it trains."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries.keras.state import incomplete, own_weights, walk_layers
from tensorproof.values import Args, Instance, Kwargs, Machine, Model, Value

_TRAINED = "what the first model trains"
"""Where an optimizer keeps the layers of the first model that it trains, and how that was compiled; no attribute of the program has this name."""


def built_elsewhere(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """The program builds or applies the optimizer itself: which variables it knows is not followed."""
    if isinstance(me, Model):
        m.heap.set(me.space, _TRAINED, True)


def trains(m: Machine, state: Model, model: Value, followed: bool, node: ast.AST) -> None:
    """The optimizer of a compiled model changes what the model trains. `followed`: its step is that of Keras, and is made."""
    optimizer = state.space["optimizer"]
    if not isinstance(optimizer, Model) or optimizer.kind.endswith("LossScaleOptimizer"):
        return
    if not followed or not isinstance(model, (Model, Instance)) or incomplete(m, model):
        m.heap.set(optimizer.space, _TRAINED, True)
        return
    known = optimizer.space.get(_TRAINED)
    every = [layer for layer, _ in walk_layers(m, model)]
    trained = [layer for layer, learns in walk_layers(m, model) if learns and any(t.requires_grad for t in own_weights(layer))]
    if known is None and trained:
        m.heap.set(optimizer.space, _TRAINED, (state, tuple(every), tuple(trained)))
    elif type(known) is tuple and known[0] is not state:
        _known(m, known, trained, node)


def _known(m: Machine, known: tuple[Any, ...], trained: list[Any], node: ast.AST) -> None:
    new = [layer for layer in trained if not any(layer is k for k in known[2])]
    if any(not any(layer is k for k in known[1]) for layer in new):
        message = "this optimizer first trained another model, and Keras 3 lets it change only the variables of that: make one optimizer for each model"
        raise m.raised("ValueError", message, node, "optimizer/variables")
    if new:
        m.gap("Model.fit", node, "layers are trained that were frozen when the optimizer was first used")
