"""Lightning: modules, data modules and callbacks, as the program derives from them. `lightning_trainer.py` runs them."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import ClassModel, KindModel, Run, nothing
from tensorproof.libraries.lightning.trainer import EPOCH, METHODS, trainer
from tensorproof.libraries.torch.nn import _init as module_init  # pyright: ignore[reportPrivateUsage]
from tensorproof.terms.ints import Origin
from tensorproof.values import MISSING, Args, Class, Dict, Function, Instance, Kwargs, List, Machine, Model, Named, Native, Unknown, Value

MODULE = "lightning.LightningModule"


def _module_init(m: Machine, me: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    module_init(m, me, (), {}, node)


def _save_hyperparameters(m: Machine, me: Instance, args: Args, kwargs: dict[str, Any], node: ast.AST) -> None:
    """The arguments of the __init__ that runs now become `self.hparams`."""
    kept: dict[str, Value] = {}
    frame = next((f for f in reversed(m.frames) if f.function is not None and f.function.name == "__init__"), None)
    if frame is not None and frame.function is not None:
        node_args = frame.function.code.node.args
        names = [a.arg for a in (*node_args.posonlyargs, *node_args.args, *node_args.kwonlyargs)][1:]
        ignored = kwargs.get("ignore", ())
        skipped = {ignored} if isinstance(ignored, str) else set(ignored.items if isinstance(ignored, List) else ignored)
        if args and all(isinstance(a, str) for a in args):
            names = [n for n in names if n in args]
        kept = {n: frame.space[n] for n in names if n in frame.space and n not in skipped}
        more = frame.space.get(node_args.kwarg.arg) if node_args.kwarg is not None else None
        if isinstance(more, Dict):
            kept |= more.items
    if len(args) == 1 and isinstance(args[0], Dict):
        kept |= args[0].items
    elif len(args) == 1 and isinstance(args[0], (Instance, Model)):
        kept |= {k: v for k, v in args[0].space.items() if isinstance(k, str)}
    before = me.space.get("hparams")
    old = dict(before.space) if isinstance(before, Model) else {}
    m.heap.set(me.space, "hparams", Model("lightning.hparams", m.heap.space({**old, **kept})))


def _attribute(m: Machine, me: Instance, name: str, node: ast.AST) -> Value:
    if name == "device":
        return "cpu"
    if name == "current_epoch" and EPOCH in me.space:
        return me.space[EPOCH]
    if name in ("current_epoch", "global_step"):
        return m.symbol(m.name_here(name, node), 0, None, Origin.WORLD)
    if name in ("trainer", "logger", "loggers", "fabric"):
        return Model("quiet", m.heap.space())
    if name in ("global_rank", "local_rank"):
        return 0
    if name in ("automatic_optimization", "on_gpu", "example_input_array", "dtype", "hparams"):
        return Unknown(name) if name != "automatic_optimization" else True
    return MISSING


def _loaded(m: Machine, cls: Value, name: str) -> Value:
    """`Net.load_from_checkpoint(path, **arguments)` makes the module anew."""
    if name != "load_from_checkpoint" or not isinstance(cls, Class):
        return MISSING

    def run(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        given = {k: v for k, v in kwargs.items() if k not in ("checkpoint_path", "map_location", "hparams_file", "strict")}
        init = machine.in_class(cls, "__init__")
        needed = isinstance(init, Function) and len(init.code.node.args.args) - 1 - len(init.defaults) > len(given)
        return machine.gap("load_from_checkpoint", node, "the saved arguments are not known") if needed else machine.call(cls, (), given, node)

    return Native("load_from_checkpoint", run)


_METHODS: dict[str, Any] = {
    **dict.fromkeys(("log", "log_dict", "print", "freeze", "unfreeze", "toggle_optimizer", "untoggle_optimizer", "clip_gradients", "all_gather"), nothing),
    "save_hyperparameters": _save_hyperparameters,
    "manual_backward": lambda m, me, a, k, n: m.call(Named("torch.Tensor.backward"), a[:1], {}, n),
    "optimizers": lambda m, me, a, k, n: me.space.get("_optimizers", Unknown("the optimizers of a module")),
    "lr_schedulers": lambda m, me, a, k, n: Unknown("the schedulers of a module"),
}  # fmt: skip


FUNCTIONS: dict[str, Run] = {"lightning.Trainer": trainer, "lightning.seed_everything": lambda m, a, k, n: a[0] if a else 0}
CLASSES = {
    MODULE: ClassModel(MODULE, ("torch.nn.Module",), _METHODS, _attribute, init=_module_init, member=_loaded),
    "lightning.core.LightningModule": ClassModel("lightning.core.LightningModule", (MODULE,)),
    "lightning.LightningDataModule": ClassModel(
        "lightning.LightningDataModule", (), {"save_hyperparameters": _save_hyperparameters}, _attribute, init=nothing, closed=False,
    ),
    **dict.fromkeys(("lightning.Callback", "lightning.callbacks.Callback"), ClassModel("lightning.Callback", init=nothing, closed=False)),
}  # fmt: skip
KINDS = {
    "lightning.Trainer": KindModel(METHODS, open=True),
    "lightning.hparams": KindModel(
        open=False, item=lambda m, me, index, node: me.space.get(index, Unknown("hparams")),
        methods={"get": lambda m, me, a, k, n: me.space.get(a[0], a[1] if len(a) > 1 else None)},
    ),
}  # fmt: skip
