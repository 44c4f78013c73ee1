"""Lightning: modules and data modules, and a Trainer that drives their steps with the batches of the loaders."""

from __future__ import annotations

from typing import Any

from tensorproof.libraries import registry
from tensorproof.libraries.model import ClassModel, KindModel, counts_of
from tensorproof.libraries.torch_nn import _init as module_init  # pyright: ignore[reportPrivateUsage]
from tensorproof.terms.ints import Origin, Term
from tensorproof.values.heap import MISSING
from tensorproof.values.many import gathered
from tensorproof.values.objects import Bound, Choice, Class, Dict, Function, Instance, List, Model, Native
from tensorproof.values.python_values import Named, Unknown

HOMES = ("pytorch_lightning.", "lightning.", "lightning.pytorch.")
FIT = ("train", "validate")
_STEPS = {"train": "training_step", "validate": "validation_step", "test": "test_step", "predict": "predict_step"}
_LOADERS = {"train": "train_dataloader", "validate": "val_dataloader", "test": "test_dataloader", "predict": "predict_dataloader"}
_STAGES = {"train": "fit", "validate": "validate", "test": "test", "predict": "predict"}


def _has(m: Any, owner: Any, name: str) -> bool:
    """Whether the program itself defines a hook."""
    return isinstance(owner, Instance) and isinstance(m.in_class(owner.cls, name), (Function, Bound))


def _hook(m: Any, owner: Any, name: str, args: tuple[Any, ...], node: Any) -> Any:
    return m.call(Bound(m.in_class(owner.cls, name), owner), args, {}, node) if _has(m, owner, name) else None


def _wanted(function: Any) -> int | None:
    """How many arguments a hook takes after self; None when it takes any number."""
    node = function.code.node.args
    return None if node.vararg is not None else len(node.posonlyargs) + len(node.args) - 1


# --- modules ---


def _module_init(m: Any, me: Instance, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> None:
    module_init(m, me, (), {}, node)


def _save_hyperparameters(m: Any, me: Instance, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> None:
    """The arguments of the __init__ that runs now become `self.hparams`."""
    kept: dict[str, Any] = {}
    frame = next((f for f in reversed(m.frames) if f.function is not None and f.function.name == "__init__"), None)
    if frame is not None:
        node_args = frame.function.code.node.args
        names = [a.arg for a in (*node_args.posonlyargs, *node_args.args, *node_args.kwonlyargs)][1:]
        ignored = kwargs.get("ignore", ())
        skipped = {ignored} if isinstance(ignored, str) else set(ignored.items if isinstance(ignored, List) else ignored)
        if args and all(isinstance(a, str) for a in args):
            names = [n for n in names if n in args]
        kept = {n: frame.space[n] for n in names if n in frame.space and n not in skipped}
        if node_args.kwarg is not None and isinstance(frame.space.get(node_args.kwarg.arg), Dict):
            kept |= frame.space[node_args.kwarg.arg].items
    if len(args) == 1 and isinstance(args[0], Dict):
        kept |= args[0].items
    elif len(args) == 1 and isinstance(args[0], (Instance, Model)):
        kept |= {k: v for k, v in args[0].space.items() if isinstance(k, str)}
    before = me.space.get("hparams")
    old = dict(before.space) if isinstance(before, Model) else {}
    m.heap.set(me.space, "hparams", Model("lightning.hparams", m.heap.space({**old, **kept})))


def _nothing(m: Any, me: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> None:
    return None


def _backward(m: Any, me: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    return m.call(Named("torch.Tensor.backward"), args[:1], {}, node)


def _optimizers(m: Any, me: Instance, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    return me.space.get("_optimizers", Unknown("the optimizers of a module"))


def _attribute(m: Any, me: Instance, name: str, node: Any) -> Any:
    if name == "device":
        return "cpu"
    if name in ("current_epoch", "global_step"):
        return m.symbol(m.name_here(name, node), 0, None, Origin.WORLD)
    if name in ("trainer", "logger", "loggers", "fabric"):
        return Model("quiet", m.heap.space())
    if name in ("global_rank", "local_rank"):
        return 0
    if name in ("automatic_optimization", "on_gpu", "example_input_array", "dtype", "hparams"):
        return Unknown(name) if name != "automatic_optimization" else True
    return MISSING


def _loaded(m: Any, cls: Any, name: str) -> Any:
    """`Net.load_from_checkpoint(path, **arguments)` makes the module anew."""
    if name != "load_from_checkpoint" or not isinstance(cls, Class):
        return MISSING

    def run(machine: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        given = {k: v for k, v in kwargs.items() if k not in ("checkpoint_path", "map_location", "hparams_file", "strict")}
        init = machine.in_class(cls, "__init__")
        needed = isinstance(init, Function) and len(init.code.node.args.args) - 1 - len(init.defaults) > len(given)
        return machine.gap("load_from_checkpoint", node, "the saved arguments are not known") if needed else machine.call(cls, (), given, node)

    return Native("load_from_checkpoint", run)


_METHODS: dict[str, Any] = {
    **dict.fromkeys(("log", "log_dict", "print", "freeze", "unfreeze", "toggle_optimizer", "untoggle_optimizer", "clip_gradients", "all_gather"), _nothing),
    "save_hyperparameters": _save_hyperparameters, "manual_backward": _backward, "optimizers": _optimizers,
    "lr_schedulers": lambda m, me, a, k, n: Unknown("the schedulers of a module"),
}  # fmt: skip


# --- the trainer ---

_MOST_RESULTS = 64


def _trainer(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
    return Model("lightning.Trainer", m.heap.space(dict(kwargs)), m.user_span(node))


def _configure(m: Any, module: Instance, node: Any) -> None:
    """configure_model and then configure_optimizers run before the first batch."""
    if _has(m, module, "configure_model"):
        _hook(m, module, "configure_model", (), node)
    if not _has(m, module, "configure_optimizers"):
        m.warn("lightning/optimizers", f"{module.cls.name} has no configure_optimizers: nothing is trained", node)
        return
    found = _hook(m, module, "configure_optimizers", (), node)
    m.heap.set(module.space, "_optimizers", _plain_optimizers(found))


def _plain_optimizers(found: Any) -> Any:
    if isinstance(found, Dict):
        return found.items.get("optimizer", Unknown("optimizer"))
    if isinstance(found, tuple) and len(found) == 2 and isinstance(found[0], List):
        found = found[0]
    if isinstance(found, List):
        return found.items[0] if len(found.items) == 1 else found
    return found


def _loaders(m: Any, part: str, module: Instance, data: Any, given: Any, node: Any) -> Any:
    """The loader of a part: given to the Trainer, or made by the data module or by the module itself."""
    if given is not None:
        return given
    for owner in (data, module):
        if owner is not None and _has(m, owner, _LOADERS[part]):
            return _hook(m, owner, _LOADERS[part], (), node)
    return None


def _run_part(m: Any, part: str, module: Instance, loader: Any, node: Any) -> Any:
    """Each batch of each loader goes through the step."""
    step = m.in_class(module.cls, _STEPS[part])
    if loader is None or not isinstance(step, Function):
        return None
    several = isinstance(loader, (List, tuple))
    results: list[Any] = []
    for number, one in enumerate((loader.items if isinstance(loader, List) else loader) if several else (loader,)):
        rounds = registry.rounds(m, one, node) if isinstance(one, Model) else None
        if rounds is None:
            items = m.iterate(one, node) if not isinstance(one, Unknown) else None
            if items is None:
                m.gap("Trainer", node, f"the batches of the {part} loader are not known")
                continue
            rounds = [(True, i) for i in items[:2]]
        for condition, batch in rounds:
            _hook(m, module, f"on_{part}_batch_start", (batch, 0), node) if _takes(m, module, f"on_{part}_batch_start", 2) else None
            count = _wanted(step)
            args = (batch, 0, number)[: 3 if (several and count is None) or (count or 2) >= 3 else count if count is not None else 2]
            results.append(m.branching.choose(condition, lambda a=args: _checked(m, part, module, step, a, node), lambda: None))
    ending = {"train": "training_epoch_end", "validate": "validation_epoch_end", "test": "test_epoch_end"}.get(part)
    for hook in (f"on_{part.replace('validate', 'validation')}_epoch_end", ending):
        if hook is not None and _has(m, module, hook):
            function = m.in_class(module.cls, hook)
            _hook(m, module, hook, (List(m.heap.row(results)),) if _wanted(function) else (), node)
    return results


def _predicted(m: Any, loader: Model, results: list[Any], node: Any) -> List:
    """What `predict` returns: the results of the batches one after the other."""
    counts = counts_of(registry.rounds(m, loader, node))
    if counts is not None and len(counts) == len(results) and sum(counts) <= _MOST_RESULTS:
        return List(m.heap.row([one for count, one in zip(counts, results) for _ in range(count)]))
    total = registry.known_length(m, loader, node)
    if not isinstance(total, (int, Term)):
        total = m.symbol(m.name_here("batches", node), 1, None, Origin.USER)
    return List(m.heap.row([gathered(total, [one.then if isinstance(one, Choice) and one.other is None else one for one in results])]))


def _takes(m: Any, module: Instance, name: str, count: int) -> bool:
    return _has(m, module, name) and _wanted(m.in_class(module.cls, name)) in (None, count)


def _checked(m: Any, part: str, module: Instance, step: Any, args: tuple[Any, ...], node: Any) -> Any:
    """The step; what a training step returns is differentiated."""
    found = m.call(Bound(step, module), args, {}, node)
    if part == "train" and module.space.get("automatic_optimization", True) is True:
        loss = found.items.get("loss", MISSING) if isinstance(found, Dict) else found
        if loss is MISSING:
            raise m.raised("RuntimeError", "training_step returns a dict without the key 'loss'", node, "lightning/loss")
        if loss is not None and not isinstance(loss, Unknown):
            m.call(Named("torch.Tensor.backward"), (loss,), {}, node)
    return found


def _driven(parts: tuple[str, ...]) -> Any:
    def run(m: Any, me: Model, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        module = args[0] if args else kwargs.get("model")
        if not isinstance(module, Instance):
            return m.gap("Trainer", node, "the module is not known")
        given = args[1] if len(args) > 1 else kwargs.get("train_dataloaders" if "train" in parts else "dataloaders", kwargs.get("train_dataloader"))
        second = args[2] if len(args) > 2 else kwargs.get("val_dataloaders")
        data = kwargs.get("datamodule")
        if isinstance(given, Instance) and registry.is_instance(m, given, "lightning.LightningDataModule") is True:
            given, data = None, given
        for owner in (data, module):
            if owner is not None:
                _hook(m, owner, "prepare_data", (), node)
                _hook(m, owner, "setup", (_STAGES[parts[0]],), node)
        if "train" in parts:
            _configure(m, module, node)
        made = {p: _loaders(m, p, module, data, second if p == "validate" and "train" in parts else given, node) for p in parts}
        if "train" in parts and made["train"] is None:
            raise m.raised("ValueError", "Trainer.fit has no loader: give train_dataloaders or define train_dataloader", node, "lightning/loader")
        if "train" in parts and not _has(m, module, "training_step"):
            raise m.raised("NotImplementedError", f"{module.cls.name} has no training_step", node, "lightning/step")
        _hook(m, module, "on_fit_start", (), node) if "train" in parts else None
        for part in sorted(parts, key=("validate", "train", "test", "predict").index):  # a few validation batches come first
            m.call(m.attribute(module, "train" if part == "train" else "eval", node), (), {}, node)
            if part == "train" and _takes(m, module, "on_train_epoch_start", 0):
                _hook(m, module, "on_train_epoch_start", (), node)
            results = _run_part(m, part, module, made[part], node)
        if parts == ("predict",) and isinstance(made["predict"], Model) and results:
            return _predicted(m, made["predict"], results, node)
        return None if "train" in parts else Unknown("the results of a Trainer")

    return run


_TRAINER: dict[str, Any] = {
    "fit": _driven(("train", "validate")), "validate": _driven(("validate",)), "test": _driven(("test",)), "predict": _driven(("predict",)),
    "save_checkpoint": _nothing,
}  # fmt: skip
_QUIET = ("callbacks.ModelCheckpoint", "callbacks.EarlyStopping", "callbacks.LearningRateMonitor", "callbacks.TQDMProgressBar", "callbacks.RichProgressBar",
          "callbacks.Timer", "loggers.TensorBoardLogger", "loggers.WandbLogger", "loggers.CSVLogger", "callbacks.GradientAccumulationScheduler",
          "callbacks.StochasticWeightAveraging", "strategies.DDPStrategy", "callbacks.DeviceStatsMonitor", "callbacks.ModelSummary")  # fmt: skip
FUNCTIONS: dict[str, Any] = {}
CLASSES: dict[str, ClassModel] = {}
for _home in HOMES:
    FUNCTIONS |= {_home + "Trainer": _trainer, _home + "seed_everything": lambda m, a, k, n: a[0] if a else 0}
    FUNCTIONS |= {_home + n: (lambda m, a, k, n: Model("quiet", m.heap.space())) for n in _QUIET}
    CLASSES[_home + "LightningModule"] = ClassModel(
        _home + "LightningModule", ("torch.nn.Module",), {**_METHODS}, _attribute, init=_module_init, member=_loaded,
    )  # fmt: skip
    _bases = ("lightning.LightningDataModule",) if _home != "lightning." else ()
    CLASSES[_home + "LightningDataModule"] = ClassModel(
        _home + "LightningDataModule", _bases, {"save_hyperparameters": _save_hyperparameters}, _attribute, init=_nothing, closed=False,
    )  # fmt: skip
    CLASSES[_home + "Callback"] = CLASSES[_home + "callbacks.Callback"] = ClassModel(_home + "Callback", init=_nothing, closed=False)
    CLASSES[_home + "core.LightningModule"] = ClassModel(_home + "core.LightningModule", (_home + "LightningModule",))
    CLASSES[_home + "LightningModule"] = CLASSES[_home + "LightningModule"]
KINDS = {
    "lightning.Trainer": KindModel(_TRAINER, open=True),
    "lightning.hparams": KindModel(
        open=False, item=lambda m, me, index, node: me.space.get(index, Unknown("hparams")),
        methods={"get": lambda m, me, a, k, n: me.space.get(a[0], a[1] if len(a) > 1 else None)},
    ),
}  # fmt: skip
