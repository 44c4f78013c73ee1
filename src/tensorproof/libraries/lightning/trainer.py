"""Lightning's Trainer: the loops of fit, validate, test and predict over the module's steps, its hooks and the callbacks."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import library_objects, nothing, registry
from tensorproof.libraries.model import Iterations, Open, batches, counts_of, some_iterations
from tensorproof.libraries.python.core import iterations_of
from tensorproof.terms import Origin, conj, gt, minimum
from tensorproof.values import MISSING, Args, Bound, Dict, Function, Instance, Kwargs, List, Machine, Model, Named, Unknown, Value

EPOCH = "*epoch*"
"""Where a module holds the number of the epoch while it is trained."""
_STEPS = {"train": "training_step", "validate": "validation_step", "test": "test_step", "predict": "predict_step"}
_LOADERS = {"train": "train_dataloader", "validate": "val_dataloader", "test": "test_dataloader", "predict": "predict_dataloader"}
_STAGES = {"train": "fit", "validate": "validate", "test": "test", "predict": "predict"}
_WORDS = {"train": "train", "validate": "validation", "test": "test", "predict": "predict"}
"""How the hooks of a part are named: `on_validation_epoch_end`."""
_OLD_ENDS = {"train": "training_epoch_end", "validate": "validation_epoch_end", "test": "test_epoch_end"}
_LIMITS = {"train": "limit_train_batches", "validate": "limit_val_batches", "test": "limit_test_batches", "predict": "limit_predict_batches"}
_SANITY = 2
"""So many batches are validated before the first epoch."""


def trainer(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Model("lightning.Trainer", m.heap.space(dict(kwargs)), m.user_span(node))


def defined(m: Machine, owner: Value, name: str) -> Value:
    """A hook that the program itself defines; None when it does not."""
    found = m.in_class(owner.cls, name) if isinstance(owner, Instance) else MISSING
    return found if isinstance(found, (Function, Bound)) else None


def _called(m: Machine, owner: Value, name: str, args: Args, node: ast.AST) -> Value:
    found = defined(m, owner, name)
    return m.call(Bound(found, owner), args, {}, node) if found is not None else None


def _wanted(function: Any) -> int | None:
    """How many arguments a hook takes after self; None when it takes any number."""
    node = function.code.node.args
    return None if node.vararg is not None else len(node.posonlyargs) + len(node.args) - 1


class _Run:
    """One call of a Trainer's method."""

    def __init__(self, m: Machine, me: Model, module: Instance, node: ast.AST) -> None:
        self.m, self.me, self.module, self.node = m, me, module, node
        given = me.space.get("callbacks")
        items = given.items if isinstance(given, List) else (given,)
        self.callbacks = [one for one in items if isinstance(one, Instance)]
        self.stops = any(one is not None and not isinstance(one, Instance) for one in items)

    def hook(self, name: str, *args: Value) -> None:
        """One hook: of the callbacks first, then of the module. It gets as many arguments as it takes."""
        for one in self.callbacks:
            self._hook(one, name, (self.me, self.module, *args))
        self._hook(self.module, name, args)

    def _hook(self, owner: Value, name: str, args: Args) -> None:
        found = defined(self.m, owner, name)
        if isinstance(found, Function):
            count = _wanted(found)
            self.m.call(Bound(found, owner), args if count is None else args[:count], {}, self.node)

    # --- batches ---

    def iterations(self, part: str, loader: Value) -> Any:
        """The iterations over one loader, each (number, batch); None where they are not known."""
        m, node = self.m, self.node
        found = iterations_of(m, loader, node) if not isinstance(loader, Unknown) else None
        if found is None:
            items = m.iterate(loader, node) if not isinstance(loader, Unknown) else None
            if items is None:
                m.gap("Trainer", node, f"the batches of the {part} loader are not known")
                return some_iterations(m, "batches", (0, Unknown("a batch")), node, Origin.UNMODELLED)
            return self._cut(part, batches(len(items), lambda k: (0, items[k])) if len(items) < 2 else _listed(items))
        numbered = self._numbered(part)
        if isinstance(found, Open):
            return Open(found.times, lambda k: (k if numbered else 0, found.item(k)), 1)
        if getattr(found, "times", None) is None:
            return Iterations([(condition, (i, batch)) for i, (condition, batch) in enumerate(found)], counts_of(found))
        known: dict[int, Value] = {}

        def item(k: Value) -> Value:
            batch = found.item(k)
            return (k, batch) if numbered else known.setdefault(id(batch), (0, batch))

        rest = [(condition, (found.times if numbered else 0, batch)) for condition, batch in found.rest]
        return self._cut(part, batches(found.times, item, rest))

    def _cut(self, part: str, iterations: Iterations) -> Iterations:
        """`fast_dev_run`, `limit_train_batches=20`."""
        most = 1 if self.me.space.get("fast_dev_run", False) is True else self.me.space.get(_LIMITS[part])
        if iterations.times is None or not isinstance(most, int) or isinstance(most, bool):
            return iterations
        left = [(conj(condition, gt(most, iterations.times)), item) for condition, item in iterations.rest]
        return batches(minimum(iterations.times, most), iterations.item, [one for one in left if one[0] is not False])

    def _numbered(self, part: str) -> bool:
        """Whether a step or a hook of the program looks at the number of the batch."""
        names = (_STEPS[part], f"on_{_WORDS[part]}_batch_start", f"on_{_WORDS[part]}_batch_end")
        return any(_reads_number(defined(self.m, owner, name)) for owner in (self.module, *self.callbacks) for name in names)

    # --- one pass over the data ---

    def part(self, part: str, loader: Any, most: int | None = None) -> list[Value] | None:
        """Each batch of each loader goes through the step: what it returned."""
        m, node, word = self.m, self.node, _WORDS[part]
        step = defined(m, self.module, _STEPS[part])
        if loader is None or step is None:
            return None
        m.call(m.attribute(self.module, "train" if part == "train" else "eval", node), (), {}, node)
        self.hook(f"on_{word}_start") if part != "train" else None
        self.hook(f"on_{word}_epoch_start")
        several = isinstance(loader, (List, tuple))
        results = List(m.heap.row())
        for number, one in enumerate((loader.items if isinstance(loader, List) else loader) if several else (loader,)):
            iterations = self.iterations(part, one)
            if iterations is None:
                continue
            if most is not None:
                count = min(iterations.times if isinstance(iterations.times, int) else 1, most)
                known = iterations.times is not None
                iterations = Iterations([(True, iterations.item(k)) for k in range(count)], (1,) * count) if known else iterations[:1]
            m.each(iterations, partial(self._batch, part, step, number, several, results), node, one)
        self._ended(part, results)
        return list(results.items)

    def _batch(self, part: str, step: Value, number: int, several: bool, results: List, item: Any) -> None:
        m, word, (at, batch) = self.m, _WORDS[part], item
        self.hook(f"on_{word}_batch_start", batch, at, number)
        count = _wanted(step)
        args = (batch, at, number)[: 3 if (several and count is None) or (count or 2) >= 3 else count if count is not None else 2]
        found = self._checked(part, step, args)
        self.hook(f"on_{word}_batch_end", found, batch, at, number)
        if self._keeps(part):
            m.heap.touch(results.items)
            results.items.append(found)

    def _keeps(self, part: str) -> bool:
        return part == "predict" or defined(self.m, self.module, _OLD_ENDS.get(part, "")) is not None

    def _ended(self, part: str, results: List) -> None:
        if part != "train":
            self.hook(f"on_{_WORDS[part]}_epoch_end")
            self.hook(f"on_{_WORDS[part]}_end")
        if part in _OLD_ENDS and defined(self.m, self.module, _OLD_ENDS[part]) is not None:
            _called(self.m, self.module, _OLD_ENDS[part], (results,), self.node)

    def _checked(self, part: str, step: Value, args: Args) -> Value:
        """The step; what a training step returns is differentiated."""
        m, node = self.m, self.node
        found = m.call(Bound(step, self.module), args, {}, node)
        if part == "train" and self.module.space.get("automatic_optimization", True) is True:
            loss = found.items.get("loss", MISSING) if isinstance(found, Dict) else found
            if loss is MISSING:
                raise m.raised("RuntimeError", "training_step returns a dict without the key 'loss'", node, "lightning/loss")
            if loss is not None and not isinstance(loss, Unknown):
                self.hook("on_before_backward", loss)
                m.call(Named("torch.Tensor.backward"), (loss,), {}, node)
                self.hook("on_after_backward")
            optimizer = self.module.space.get("_optimizers", Unknown("the optimizers of a module"))
            self.hook("on_before_optimizer_step", optimizer)
            self.hook("on_before_zero_grad", optimizer)
        return found

    # --- fit ---

    def fit(self, made: Kwargs) -> None:
        """A few batches of validation, and then the epochs."""
        self.m.heap.set(self.module.space, EPOCH, 0)
        self.hook("on_fit_start")
        if self.me.space.get("num_sanity_val_steps", _SANITY) != 0 and not self.me.space.get("fast_dev_run", False):
            self.hook("on_sanity_check_start")
            self.part("validate", made["validate"], _SANITY)
            self.hook("on_sanity_check_end")
        self.hook("on_train_start")
        self.m.each(self._epochs(), lambda number: self._epoch(number, made), self.node)
        self.hook("on_train_end")
        self.hook("on_fit_end")

    def _epochs(self) -> Iterations:
        m, given = self.m, self.me.space
        if given.get("fast_dev_run", False) not in (False, 0):
            return batches(1, lambda k: k)
        most = given.get("max_epochs", 1000)
        uses = _reads(self.module.cls, "current_epoch") or any(_reads(one.cls, "current_epoch") for one in self.callbacks)
        item = (lambda k: k) if uses else (lambda k: 0)
        if isinstance(most, int) and most > 0 and not self.stops and "max_steps" not in given and "max_time" not in given:
            return batches(most, item)
        last = most if isinstance(most, int) and most > 0 else None
        return batches(m.symbol(m.name_here("epochs", self.node), 1, last, Origin.WORLD), item)

    def _epoch(self, number: Value, made: Kwargs) -> None:
        m = self.m
        m.heap.set(self.module.space, EPOCH, number)
        self.part("train", made["train"])
        self.part("validate", made["validate"])
        m.call(m.attribute(self.module, "train", self.node), (), {}, self.node)
        self.hook("on_train_epoch_end")


def _listed(items: list[Value]) -> Iterations:
    """The batches of a list, one by one."""
    return Iterations([(True, (k, one)) for k, one in enumerate(items)], (1,) * len(items))


def _reads_number(function: Value) -> bool:
    """Whether a step or a hook reads one of its arguments behind the batch, or takes any number of them."""
    if not isinstance(function, Function):
        return False
    node = function.code.node
    names = {a.arg for a in node.args.args if "idx" in a.arg or "number" in a.arg or a.arg in ("i", "step", "batch_nb", "index")}
    return node.args.vararg is not None or any(isinstance(n, ast.Name) and n.id in names and isinstance(n.ctx, ast.Load) for n in ast.walk(node))


def _reads(cls: Any, name: str) -> bool:
    """Whether some method of a class of the program reads an attribute of that name."""
    methods = [f for c in cls.mro if not isinstance(c, Named) for f in getattr(c, "space", {}).values() if isinstance(f, Function)]
    return any(isinstance(n, ast.Attribute) and n.attr == name for f in methods for n in ast.walk(f.code.node))


def _configure(m: Machine, module: Instance, node: ast.AST) -> None:
    """configure_model and then configure_optimizers run before the first batch."""
    _called(m, module, "configure_model", (), node)
    if defined(m, module, "configure_optimizers") is None:
        m.warn("lightning/optimizers", f"{module.cls.name} has no configure_optimizers: nothing is trained", node)
        return
    found = _called(m, module, "configure_optimizers", (), node)
    m.heap.set(module.space, "_optimizers", _plain_optimizers(found))


def _plain_optimizers(found: Value) -> Value:
    if isinstance(found, Dict):
        return found.items.get("optimizer", Unknown("optimizer"))
    if isinstance(found, tuple) and len(found) == 2 and isinstance(found[0], List):
        found = found[0]
    if isinstance(found, List):
        return found.items[0] if len(found.items) == 1 else found
    return found


def _loaders(m: Machine, part: str, module: Instance, data: Value, given: Value, node: ast.AST) -> Value:
    """The loader of a part: given to the Trainer, or made by the data module or by the module itself."""
    if given is not None:
        return given
    for owner in (data, module):
        if owner is not None and defined(m, owner, _LOADERS[part]) is not None:
            return _called(m, owner, _LOADERS[part], (), node)
    inherited = any(isinstance(one, Instance) and library_objects.inherits_unseen(one.cls) for one in (data, module))
    return Unknown("the loader of a data module") if inherited or isinstance(data, Unknown) else None


def _driven(parts: tuple[str, ...], m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
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
            _called(m, owner, "prepare_data", (), node)
            _called(m, owner, "setup", (_STAGES[parts[0]],), node)
    if "train" in parts:
        _configure(m, module, node)
    made = {p: _loaders(m, p, module, data, second if p == "validate" and "train" in parts else given, node) for p in parts}
    if "train" in parts and made["train"] is None:
        raise m.raised("ValueError", "Trainer.fit has no loader: give train_dataloaders or define train_dataloader", node, "lightning/loader")
    if "train" in parts and defined(m, module, "training_step") is None:
        raise m.raised("NotImplementedError", f"{module.cls.name} has no training_step", node, "lightning/step")
    going = _Run(m, me, module, node)
    if "train" in parts:
        going.fit(made)
        return None
    results = going.part(parts[0], made[parts[0]])
    if parts == ("predict",) and results:
        return List(m.heap.row(results))
    return Unknown("the results of a Trainer")


METHODS: dict[str, Any] = {
    "fit": partial(_driven, ("train", "validate")), "validate": partial(_driven, ("validate",)), "test": partial(_driven, ("test",)),
    "predict": partial(_driven, ("predict",)),
    "save_checkpoint": nothing,
}  # fmt: skip
