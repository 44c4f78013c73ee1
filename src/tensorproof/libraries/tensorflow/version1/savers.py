"""tf.train.Saver: what the program saved under a path that is known is what it restores from there. Files are never read."""

from __future__ import annotations

import ast

from tensorproof.libraries import KindModel, Run, argument
from tensorproof.libraries.tensorflow.kept_values import BEGAN
from tensorproof.libraries.tensorflow.version1.graph import VARIABLES, graph
from tensorproof.terms import TensorType, eq
from tensorproof.values import TEXT, Args, Dict, Key, Kwargs, List, Machine, Model, Value, slot

CHOSEN: Key[dict[str, TensorType] | None] = slot("variables")
CHECKPOINT = "checkpoint of "
"""Before a path under which a saver wrote."""


def _chosen(m: Machine, given: Value) -> dict[str, TensorType] | None:
    """The variables of a saver by the names under which they are saved; None when they are not known."""
    known = {name.strip(): v for name, (v, _, _) in graph(m).space[VARIABLES].items()}
    if given is None:
        return known
    if isinstance(given, Dict):
        named = {k: v for k, v in given.items.items() if isinstance(k, str) and isinstance(v, TensorType)}
        return named if len(named) == len(given.items) else None
    if isinstance(given, (List, tuple)):
        wanted = {id(v) for v in (given.items if isinstance(given, List) else given)}
        found = {name: v for name, v in known.items() if id(v) in wanted}
        return found if len(found) == len(wanted) else None
    return None


def _path(args: Args, kwargs: Kwargs) -> str | None:
    path, step = argument(args, kwargs, 1, "save_path"), argument(args, kwargs, 2, "global_step")
    if not isinstance(path, str) or (step is not None and not isinstance(step, int)):
        return None
    return path if step is None else f"{path}-{step}"


def _save(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    path, chosen, files = _path(args, kwargs), me.space[CHOSEN], m.model_state["files"]
    if path is None or chosen is None:  # any checkpoint may be written over
        for known in [k for k in files if isinstance(k, str) and k.startswith(CHECKPOINT)]:
            m.heap.delete(files, known)
        return TEXT if path is None else path
    m.heap.set(files, CHECKPOINT + path, {name: v.shape for name, v in chosen.items()})
    return path


def _restore(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    m.model_state[BEGAN] = True
    path, mine = argument(args, kwargs, 1, "save_path"), me.space[CHOSEN]
    saved = m.model_state["files"].get(CHECKPOINT + path) if isinstance(path, str) else None
    if not isinstance(saved, dict) or mine is None:
        return
    for name, variable in mine.items():
        if name not in saved:
            raise m.raised("NotFoundError", f"the checkpoint {path} has no variable {name}", node, "tf/checkpoint")
        a, b = variable.shape, saved[name]
        if not a.known or not b.known:
            continue
        message = f"the variable {name} is {a!r} in the graph and {b!r} in the checkpoint {path}"
        if len(a) != len(b):
            raise m.raised("InvalidArgumentError", message, node, "tf/checkpoint")
        for p, q in zip(a, b):
            m.require("tf/checkpoint", eq(p, q), message, node)


FUNCTIONS: dict[str, Run] = {
    "tf.train.Saver": lambda m, a, k, n: Model("tf.train.Saver", m.heap.space({"variables": _chosen(m, argument(a, k, 0, "var_list"))}))
}
KINDS = {
    "tf.train.Saver": KindModel({"save": _save, "restore": _restore}, open=True, passed=True),
}  # fmt: skip
