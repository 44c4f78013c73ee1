"""Collections of a graph of TensorFlow 1: losses, updates, summaries, variables, and those that the program makes."""

from __future__ import annotations

import ast

from tensorproof.libraries.plain import argument, listed
from tensorproof.libraries.tensorflow.version1.graph import COLLECTIONS, LOSSES, SUMMARIES, UPDATES, graph
from tensorproof.libraries.tensorflow.version1.variables import variables
from tensorproof.values.port import Args, Kwargs, Machine, Value


def _add_to_collection(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    name, value = argument(args, kwargs, 0, "name"), argument(args, kwargs, 1, "value")
    held = graph(m).space[COLLECTIONS]
    if isinstance(name, str):
        m.heap.set(held, name, (*held.get(name, ()), value))


def _get_collection(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name, inside = argument(args, kwargs, 0, "key"), argument(args, kwargs, 1, "scope")
    if name in ("variables", "trainable_variables", "global_variables", "model_variables"):
        return listed(m, variables(m, name == "trainable_variables", inside))
    here = graph(m)
    if name == "losses":
        return listed(m, [*here.space[LOSSES], *here.space[COLLECTIONS].get(name, ())])
    if name == "update_ops":
        return listed(m, [*here.space[UPDATES]])
    if name == "summaries":
        return listed(m, [*here.space[SUMMARIES]])
    return listed(m, here.space[COLLECTIONS].get(name, ()) if isinstance(name, str) else ())


GRAPH_KEYS = {
    "GLOBAL_VARIABLES": "variables", "VARIABLES": "variables", "TRAINABLE_VARIABLES": "trainable_variables", "LOCAL_VARIABLES": "local_variables",
    "MODEL_VARIABLES": "model_variables", "MOVING_AVERAGE_VARIABLES": "moving_average_variables", "SUMMARIES": "summaries", "UPDATE_OPS": "update_ops",
    "LOSSES": "losses", "REGULARIZATION_LOSSES": "regularization_losses", "QUEUE_RUNNERS": "queue_runners", "GLOBAL_STEP": "global_step",
    "TRAIN_OP": "train_op", "ACTIVATIONS": "activations", "BIASES": "biases", "WEIGHTS": "weights", "EVAL_STEP": "eval_step",
    "METRIC_VARIABLES": "metric_variables",
    "SAVERS": "savers", "INIT_OP": "init_op", "TABLE_INITIALIZERS": "table_initializer",
}  # fmt: skip
FUNCTIONS: dict[str, object] = {"tf.add_to_collection": _add_to_collection, "tf.get_collection": _get_collection, "tf.get_collection_ref": _get_collection}
VALUES: dict[str, object] = {f"tf.GraphKeys.{k}": v for k, v in GRAPH_KEYS.items()}
