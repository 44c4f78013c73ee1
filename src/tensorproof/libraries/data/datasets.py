"""torch.utils.data: datasets, parts of datasets, samplers. The loader is in torch_loader."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from math import isclose
from typing import Any

from tensorproof.libraries import Bound, ClassModel, KindModel, Run, always, bind, by_signature, filled_by_signature, nothing
from tensorproof.libraries.data import loader_checks
from tensorproof.libraries.data.loader import LOADER, LOADER_METHODS, asked_length, loader, loader_attribute, loader_init, loader_items, loader_iterations
from tensorproof.libraries.data.samples import item_of, length_of, unknown_length
from tensorproof.terms import Dim, Origin, Predicate, TensorType, Term, ceildiv, eq, lower, lt, upper
from tensorproof.values import Args, Instance, Iterator, Key, Kwargs, List, Machine, Model, Unknown, Value, slot

JOINED: Key[List] = slot("datasets")
STACKED: Key[tuple[Value, ...]] = slot("datasets")
TENSORS: Key[tuple[Value, ...]] = slot("tensors")
NAMES: Key[tuple[str, ...]] = slot("names")
HOME = "torch.utils.data."


def _made(kind: str, fill: Callable[[Value, Value, Bound], None], m: Machine, call: Bound) -> Model:
    """A function that makes a library's object; `fill` does the same for a class of the program."""
    made = Model(HOME + kind, m.heap.space(), m.user_span(call.node))
    fill(m, made, call)
    return made


def _tensors_init(m: Machine, me: Instance | Model, call: Bound) -> None:
    node = call.node
    m.heap.set(me.space, TENSORS, call.more)
    for one in call.more:
        if one is None or isinstance(one, (bool, int, float, str, tuple, List)):
            raise m.raised("AttributeError", "TensorDataset takes tensors, and this argument has no attribute size", node, "data/tensors")
    known = [t for t in call.more if isinstance(t, TensorType)]
    for t in known:
        if t.shape.known and len(t.shape) == 0:
            raise m.raised("IndexError", "TensorDataset takes tensors with at least one axis", node, "data/tensors")
        if t.framework == "numpy":
            raise m.raised("TypeError", "TensorDataset takes torch tensors, this is a NumPy array", node, "data/tensors")
    for t in known[1:]:
        if t.shape.known and known[0].shape.known:
            message = f"the tensors of a TensorDataset must agree in their first axis: {known[0].shape!r} and {t.shape!r}"
            m.demand("AssertionError", eq(known[0].shape[0], t.shape[0]), message, node, "data/tensors")


def _tensors_length(m: Machine, me: Instance | Model, node: ast.AST) -> Value:
    first = next((t for t in me.space[TENSORS] if isinstance(t, TensorType) and t.shape.known), None)
    return Unknown("len") if first is None else first.shape[0]


def _subset_init(m: Machine, me: Instance | Model, call: Bound) -> None:
    m.heap.set(me.space, "dataset", call.value("dataset"))
    m.heap.set(me.space, "indices", call.value("indices"))


def count_of(m: Machine, indices: Value, node: ast.AST) -> Value:
    """How many indices there are."""
    match indices:
        case Model() if indices.kind == "indices":
            return indices.space["count"]
        case Unknown() | Iterator():
            return Unknown("len")
        case _:
            return m.call(len, (indices,), {}, node)


def _subset_item(m: Machine, me: Instance | Model, index: Any, node: ast.AST) -> Value:
    whole = me.space["dataset"]
    from tensorproof.libraries.data.samples import sample_of

    indices = me.space["indices"]
    if isinstance(index, int) and isinstance(indices, (List, range, tuple)):
        listed = list(indices.items) if isinstance(indices, List) else indices
        if not -len(listed) <= index < len(listed) and all(isinstance(i, int) for i in listed):
            raise m.raised("IndexError", f"index {index} is out of range for a Subset of {len(listed)} samples", node)
        if -len(listed) <= index < len(listed) and isinstance(listed[index], (int, Term)):
            return item_of(m, whole, listed[index], node)
    if isinstance(index, Term):
        _check_listed(m, whole, indices, node)
    if isinstance(indices, range) and isinstance(index, Term):
        return item_of(m, whole, indices.start + index * indices.step, node)
    return sample_of(m, whole, node)


def _check_listed(m: Machine, whole: Value, indices: Value, node: ast.AST) -> None:
    """Of many samples one stands for all: the least and the greatest index that are listed are asked for where the dataset has fewer samples."""
    if not isinstance(indices, (List, tuple)):
        return
    count, listed = length_of(m, whole, node), indices.items if isinstance(indices, List) else indices
    numbers = [i for i in listed if type(i) is int]
    for index in (*({min(numbers), max(numbers)} if numbers else ()), *[i for i in listed if type(i) is Term][:16]) if isinstance(count, int) else ():
        if lower(index) < -count or upper(index) >= count:
            item_of(m, whole, index, node)


def _random_split(m: Machine, call: Bound) -> Value:
    data, node = call.value("dataset"), call.node
    parts = m.iterate(call.value("lengths"), node)
    if parts is None:
        return m.gap("torch.utils.data.random_split", node, "the lengths are not known")
    if isinstance(data, Unknown):
        return List(m.heap.row([data] * len(parts)))
    whole = length_of(m, data, node)
    if parts and all(isinstance(p, float) or p in (0, 1) for p in parts if not isinstance(p, Unknown)) and any(isinstance(p, float) for p in parts):
        if not any(isinstance(p, Unknown) for p in parts) and (sum(parts) > 1 or not isclose(sum(parts), 1)):
            raise m.raised("ValueError", f"the fractions of random_split add up to {sum(parts)!r}, not to 1", node, "data/split")
        parts = _fractions(m, parts, whole, node)
    counts = [p if isinstance(p, (int, Term)) else unknown_length(m, node) for p in parts]
    if all(isinstance(p, (int, Term)) for p in parts):
        total: Any = 0
        for p in parts:
            total = total + p
        truth = eq(total, whole)
        message = f"the lengths of random_split add up to {total!r}, the dataset has {whole!r} samples"
        if truth is False:
            raise m.raised("ValueError", message, node, "data/split")
        if isinstance(truth, Predicate) and getattr(data, "kind", "") != "torchvision.datasets.ImageFolder":
            m.require("data/split", truth, message, node)
    return List(m.heap.row(Model(HOME + "Subset", m.heap.space({"dataset": data, "indices": _indices(m, c), "drawn": True})) for c in counts))


def _indices(m: Machine, count: Value) -> Model:
    return Model("indices", m.heap.space({"count": count}))


def _fractions(m: Machine, parts: list[Any], whole: Value, node: ast.AST) -> list[Any]:
    """The counts that torch makes of fractions: rounded down, the rest handed out one by one from the front."""
    if not isinstance(whole, int) or any(isinstance(p, Unknown) for p in parts):
        return [Unknown("len") for _ in parts]
    counts = [int(whole * p) for p in parts]
    for i in range(whole - sum(counts)):
        counts[i % len(counts)] += 1
    return counts


def _concat_init(m: Machine, me: Instance | Model, call: Bound) -> None:
    node = call.node
    found = m.iterate(call.value("datasets"), node)
    if found is None:
        m.gap("torch.utils.data.ConcatDataset", node, "of datasets that are not known")
        found = []
    elif not found:
        raise m.raised("AssertionError", "ConcatDataset needs at least one dataset", node, "data/concat")
    m.heap.set(me.space, "datasets", List(m.heap.row(found)))


def _concat_length(m: Machine, me: Instance | Model, node: ast.AST) -> Value:
    total: Value = 0
    for data in me.space[JOINED].items:
        if isinstance(data, Unknown):
            return Unknown("len")
        total = total + length_of(m, data, node)
    return total


def _concat_item(m: Machine, me: Instance | Model, index: Value, node: ast.AST) -> Value:
    """A sample of one of the datasets."""
    from tensorproof.libraries.data.samples import sample_of

    datasets = list(me.space[JOINED].items)
    if not datasets:
        return Unknown("a sample")
    lengths = [length_of(m, data, node) for data in datasets]
    if isinstance(index, int) and all(isinstance(n, int) for n in lengths):
        at = index + sum(lengths) if index < 0 else index
        for data, count in zip(datasets, lengths):
            if 0 <= at < count:
                return item_of(m, data, at, node)
            at -= count
        raise m.raised("ValueError" if index < 0 else "IndexError", f"index {index} is out of range for {sum(lengths)} samples", node)
    if isinstance(index, int) and isinstance(lengths[0], int) and 0 <= index < lengths[0]:
        return item_of(m, datasets[0], index, node)
    result = sample_of(m, datasets[-1], node)
    start: Dim = 0
    ends: list[Dim] = []
    for data in datasets[:-1]:
        start = start + length_of(m, data, node)
        ends.append(start)
    for data, end in reversed(list(zip(datasets[:-1], ends))):
        result = m.branching.choose(lt(index, end) if isinstance(index, (int, Term)) else True, partial(sample_of, m, data, node), always(result))
    return result


def _add(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    made = Model(HOME + "ConcatDataset", m.heap.space())
    _concat_init(m, made, bind(m, HOME + "ConcatDataset", ((me, args[0]),), {}, node))
    return made


def _stack_init(m: Machine, me: Instance | Model, call: Bound) -> None:
    node = call.node
    if bool(call.more) is bool(call.named):
        raise m.raised("ValueError", "a StackDataset takes datasets by position or by name, at least one, and not both", node, "data/stack")
    datasets = call.more or tuple(call.named.values())
    loader_checks.check_lengths(m, [length_of(m, one, node) for one in datasets if not isinstance(one, Unknown)], node)
    m.heap.set(me.space, "datasets", datasets)
    m.heap.set(me.space, NAMES, tuple(call.named))


def _stack_item(m: Machine, me: Instance | Model, index: Value, node: ast.AST) -> Value:
    from tensorproof.values.objects import Dict

    found = tuple(item_of(m, d, index, node) for d in me.space[STACKED])
    names = me.space[NAMES]
    return Dict(m.heap.entries(dict(zip(names, found)))) if names else found


def _sampler_init(m: Machine, me: Instance | Model, call: Bound) -> None:
    m.heap.set(me.space, "data_source", call.value("data_source"))
    count = call.value("num_samples")
    if count is not None:
        loader_checks.check_count(m, count, "num_samples", call.node)
    m.heap.set(me.space, "given", count)


def _subset_sampler_init(m: Machine, me: Instance | Model, call: Bound) -> None:
    m.heap.set(me.space, "indices", call.value("indices"))


def _weighted_init(m: Machine, me: Instance | Model, call: Bound) -> None:
    weights, count = call.value("weights"), call.value("num_samples")
    loader_checks.check_count(m, count, "num_samples", call.node)
    loader_checks.check_weights(m, weights, count, call.value("replacement", True), call.node)
    m.heap.set(me.space, "given", count)
    m.heap.set(me.space, "weights", weights)


def _distributed_init(m: Machine, me: Instance | Model, call: Bound) -> None:
    node = call.node
    m.heap.set(me.space, "data_source", call.value("dataset"))
    replicas, dropping = call.value("num_replicas", 1), call.value("drop_last", False)
    loader_checks.check_rank(m, call.value("rank"), replicas, node)
    if not (call.given("num_replicas") and call.given("rank")) and not any("process_group" in text for text in m.texts()):
        m.gap(call.name, node, "no process group is begun in the program: give num_replicas and rank, or call init_process_group before")
    whole = length_of(m, me.space["data_source"], node) if not isinstance(me.space["data_source"], Unknown) else Unknown("len")
    share: Value = Unknown("len")
    if isinstance(replicas, int) and replicas > 0 and isinstance(whole, (int, Term)):
        share = whole // replicas if dropping is True else ceildiv(whole, replicas)
    m.heap.set(me.space, "given", share)


def _sampler_length(m: Machine, me: Instance | Model, node: ast.AST) -> Value:
    given = me.space.get("given")
    if given is not None:
        return given
    if "indices" in me.space:
        return count_of(m, me.space["indices"], node)
    source = me.space.get("data_source")
    return Unknown("len") if source is None or isinstance(source, Unknown) else length_of(m, source, node)


def _sampler_iterations(m: Machine, me: Instance | Model, node: ast.AST) -> Value:
    """Any one index."""
    count = _sampler_length(m, me, node)
    index = m.symbol(m.name_here("i", node), 0, count - 1 if isinstance(count, int) and count > 0 else None, Origin.WORLD)
    return [(True, index)]


def _batch_sampler_init(m: Machine, me: Instance | Model, call: Bound) -> None:
    for name in ("sampler", "batch_size", "drop_last"):
        m.heap.set(me.space, name, call.value(name))
    loader_checks.check_count(m, me.space["batch_size"], "batch_size", call.node)


def _batch_sampler_length(m: Machine, me: Instance | Model, node: ast.AST) -> Value:
    count, size = length_of(m, me.space["sampler"], node), me.space["batch_size"]
    if not isinstance(size, (int, Term)):
        return Unknown("len")
    return count // size if me.space["drop_last"] is True else ceildiv(count, size)


_PARTS: dict[str, tuple[Any, Any, Any]] = {
    "TensorDataset": (_tensors_init, _tensors_length, lambda m, me, index, node: tuple(item_of(m, t, index, node) for t in me.space[TENSORS])),
    "Subset": (_subset_init, lambda m, me, node: count_of(m, me.space["indices"], node), _subset_item),
    "ConcatDataset": (_concat_init, _concat_length, _concat_item),
    "StackDataset": (_stack_init, lambda m, me, node: length_of(m, me.space["datasets"][0], node), _stack_item),
}  # fmt: skip
_SAMPLERS: dict[str, tuple[Any, Any]] = {
    "SequentialSampler": (_sampler_init, _sampler_length), "RandomSampler": (_sampler_init, _sampler_length),
    "SubsetRandomSampler": (_subset_sampler_init, _sampler_length), "WeightedRandomSampler": (_weighted_init, _sampler_length),
    "distributed.DistributedSampler": (_distributed_init, _sampler_length), "DistributedSampler": (_distributed_init, _sampler_length),
    "BatchSampler": (_batch_sampler_init, _batch_sampler_length),
}  # fmt: skip
_SAMPLER_METHODS = {"set_epoch": nothing}
_MARKS = {"__add__": _add}
FUNCTIONS: dict[str, Run] = {
    **{name: by_signature(LOADER, loader) for name in (LOADER, HOME + "dataloader.DataLoader")},
    **{name: by_signature(HOME + "random_split", _random_split) for name in (HOME + "random_split", HOME + "dataset.random_split")},
    HOME + "default_collate": lambda m, a, k, n: _default_collate(m, a, n), HOME + "dataloader.default_collate": lambda m, a, k, n: _default_collate(m, a, n),
    HOME + "_utils.collate.default_collate": lambda m, a, k, n: _default_collate(m, a, n),
}  # fmt: skip
KINDS: dict[str, KindModel] = {LOADER: KindModel(LOADER_METHODS, loader_attribute, items=loader_items, length=asked_length, iterations=loader_iterations)}
CLASSES: dict[str, ClassModel] = {
    HOME + "Dataset": ClassModel(HOME + "Dataset", methods=_MARKS),
    HOME + "IterableDataset": ClassModel(HOME + "IterableDataset", (HOME + "Dataset",)),
    HOME + "Sampler": ClassModel(HOME + "Sampler", init=nothing),
    LOADER: ClassModel(
        LOADER, init=filled_by_signature(LOADER, loader_init), length=asked_length, attribute=loader_attribute, methods=LOADER_METHODS, closed=False
    ),
}
for _alias in ("dataset.Dataset", "dataset.IterableDataset", "sampler.Sampler"):
    CLASSES[HOME + _alias] = ClassModel(HOME + _alias, (HOME + _alias.rpartition(".")[2],))
for _name, (_init, _length, _item) in _PARTS.items():
    for _full in (HOME + _name, f"{HOME}dataset.{_name}"):
        FUNCTIONS[_full] = by_signature(HOME + _name, partial(_made, _name, _init))
        KINDS[_full] = KindModel(_MARKS, length=_length, item=_item, bases=(HOME + "Dataset",))
        CLASSES[_full] = ClassModel(_full, (HOME + "Dataset",), init=filled_by_signature(HOME + _name, _init), length=_length, item=_item)
for _name, (_init, _length) in _SAMPLERS.items():
    _signed = HOME + _name.removeprefix("distributed.")
    for _full in (HOME + _name, f"{HOME}sampler.{_name}"):
        FUNCTIONS[_full] = by_signature(_signed, partial(_made, _name, _init))
        KINDS[_full] = KindModel(_SAMPLER_METHODS, length=_length, iterations=_sampler_iterations, bases=(HOME + "Sampler",), open=True)
        CLASSES[_full] = ClassModel(_full, (HOME + "Sampler",), init=filled_by_signature(_signed, _init), length=_length, methods=_SAMPLER_METHODS)


def _default_collate(m: Machine, args: Args, node: ast.AST) -> Value:
    from tensorproof.libraries.data.loader import collated

    items = m.iterate(args[0], node)
    return m.gap("default_collate", node, "of samples that are not known") if items is None else collated(m, items, node)
