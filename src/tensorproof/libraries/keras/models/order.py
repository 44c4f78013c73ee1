"""The order of a functional model's layers: Keras sorts them by their distance from the outputs, then by the order in which it meets them."""

from __future__ import annotations

from typing import Any

from tensorproof.libraries.keras.models import graph as keras_graph
from tensorproof.libraries.tensorflow import tape
from tensorproof.values import Key, Machine, Model, Value, slot

LAYERS: Key[tuple[Value, ...]] = slot("*layers*")
"""The layers of a Sequential, in order."""


def layers_of(m: Machine, me: Model) -> list[Value]:
    """The layers in Keras' order: those far from the outputs first."""
    if me.kind == "keras.Sequential":
        layers = me.space[LAYERS]
        return list(layers)
    return ordered(m, me.space["*inputs*"], me.space["*outputs*"])


def ordered(m: Machine, inputs: Value, outputs: Value) -> list[Value]:
    """All layers of the graph between inputs and outputs, input layers too."""
    starts = tape.tensors_in(inputs)
    cut = {id(t): t for t in starts}
    met: dict[int, int] = {}
    steps: list[Any] = []
    """Every step behind those it needs."""
    parents: dict[int, list[Value]] = {}

    def key(tensor: Any) -> Value:
        """What made a tensor: a step, or the tensor itself where the graph begins."""
        step = None if id(tensor) in cut else keras_graph.made_by(m, tensor)
        return tensor if step is None else step

    waiting: list[tuple[Any, bool]] = [(key(t), False) for t in reversed(tape.tensors_in(outputs))]
    done: set[int] = set()
    while waiting:
        one, left = waiting.pop()
        if left:
            if id(one) not in done:
                done.add(id(one))
                steps.append(one)
            continue
        if id(one) in parents:
            continue
        met[id(one)] = len(met)
        parents[id(one)] = [] if hasattr(one, "shape") else [key(t) for t in tape.tensors_in((one.args, tuple(one.kwargs.values())))]
        waiting.append((one, True))
        waiting += [(p, False) for p in reversed(parents[id(one)])]
    depth: dict[int, int] = {}
    layers: dict[int, tuple[Value, int, int]] = {}
    for one in reversed(steps):
        layer = keras_graph.input_layer(m, one) if hasattr(one, "shape") else keras_graph.layer_of(m, one)
        at = depth.setdefault(id(one), 0)
        if layer is not None:
            past = layers.get(id(layer))
            at = at if past is None else max(at, past[1])
            layers[id(layer)] = (layer, at, met[id(one)] if past is None else min(past[2], met[id(one)]))
        depth[id(one)] = at
        for parent in parents[id(one)]:
            depth[id(parent)] = max(depth.get(id(parent), 0), at + 1)
    for start in starts:
        if id(start) not in met:
            layer = keras_graph.input_layer(m, start)
            layers.setdefault(id(layer), (layer, 0, len(met)))
    return [layer for layer, _, _ in sorted(layers.values(), key=lambda found: (-found[1], found[2]))]
