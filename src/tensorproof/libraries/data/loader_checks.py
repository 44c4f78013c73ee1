"""What torch.utils.data refuses when a DataLoader or a sampler is made, and what an unknown batch size may be."""

from __future__ import annotations

import ast

from tensorproof.libraries.bound import Bound
from tensorproof.libraries.data.indices import exists
from tensorproof.terms import Origin, TensorType, Term, ge
from tensorproof.values import MISSING, Class, Instance, Machine, Model, Named, Unknown, Value, whole_of


def check_loader(m: Machine, call: Bound, iterable: bool) -> None:
    """Refuse arguments of a DataLoader that exclude each other."""
    size, shuffle, dropping, node = call.value("batch_size", 1), call.value("shuffle") is True, call.value("drop_last") is True, call.node
    sampler, batch_sampler = call.sure("sampler"), call.sure("batch_sampler")
    _check_workers(m, call, node)
    if isinstance(size, bool) or (isinstance(size, int) and size <= 0) or isinstance(size, (float, str)):
        raise m.raised("ValueError", f"batch_size must be a positive whole number, not {size!r}", node, "data/batch-size")
    if iterable and shuffle:
        raise m.raised("ValueError", "an IterableDataset cannot be shuffled by the DataLoader", node, "data/sampler")
    if iterable and (sampler or batch_sampler):
        raise m.raised("ValueError", "an IterableDataset takes no sampler and no batch_sampler", node, "data/sampler")
    if shuffle and sampler:
        raise m.raised("ValueError", "a DataLoader takes shuffle or a sampler, not both", node, "data/sampler")
    if batch_sampler and ((size != 1 and not isinstance(size, Unknown)) or shuffle or sampler or dropping):
        raise m.raised("ValueError", "a batch_sampler excludes batch_size, shuffle, sampler and drop_last", node, "data/sampler")
    if size is None and dropping:
        raise m.raised("ValueError", "without batches (batch_size=None) nothing can be dropped: drop_last must be False", node, "data/batch-size")


_UNSIZED = ("torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset", "object")


def check_sized(m: Machine, me: Instance | Model, node: ast.AST) -> None:
    """Refuse a dataset that surely has no length, where a sampler of the loader's own asks for it, before any sample is made."""
    data = me.space["dataset"]
    if me.space["sampler"] is not None or me.space["batch_sampler"] is not None or not isinstance(data, Instance) or data.cls.name in m.directives.data:
        return
    plain = all(isinstance(c, Class) or (isinstance(c, Named) and c.name in _UNSIZED) for c in data.cls.mro)
    if plain and m.in_class(data.cls, "__len__") is MISSING:
        raise m.raised("TypeError", f"a DataLoader asks for the length of its dataset, and {data.cls.name} has no __len__", node, "python/type")


def _check_workers(m: Machine, call: Bound, node: ast.AST) -> None:
    workers, timeout = call.value("num_workers", 0), call.value("timeout", 0)
    if isinstance(workers, int) and workers < 0:
        raise m.raised("ValueError", f"num_workers must not be negative, and is {workers}", node, "data/workers")
    if isinstance(timeout, (int, float)) and timeout < 0:
        raise m.raised("ValueError", f"timeout must not be negative, and is {timeout:g}", node, "data/workers")
    if isinstance(workers, int) and workers == 0 and call.sure("prefetch_factor"):
        raise m.raised("ValueError", "prefetch_factor needs workers, and num_workers is 0", node, "data/workers")
    if isinstance(workers, int) and workers == 0 and call.value("persistent_workers") is True:
        raise m.raised("ValueError", "persistent_workers needs workers, and num_workers is 0", node, "data/workers")


def check_count(m: Machine, count: Value, of: str, node: ast.AST) -> None:
    """Refuse a number of samples that is no positive whole number."""
    if isinstance(count, (bool, float, str)) or (isinstance(count, int) and count <= 0):
        raise m.raised("ValueError", f"{of} must be a positive whole number, not {count!r}", node, "data/sampler")


def check_weights(m: Machine, weights: Value, count: Value, replacement: Value, node: ast.AST) -> None:
    """Without replacement, no more samples can be drawn than there are weights."""
    if isinstance(weights, TensorType) and weights.shape.known and len(weights.shape) != 1:
        raise m.raised("ValueError", f"the weights must have one axis, not the shape {weights.shape!r}", node, "data/sampler")
    if replacement is not False or not isinstance(count, int):
        return
    many = weights.shape[0] if isinstance(weights, TensorType) and weights.shape.known else m.call(len, (weights,), {}, node) if exists(weights) else None
    if isinstance(many, int) and count > many:
        raise m.raised("RuntimeError", f"without replacement, {count} samples cannot be drawn from {many} weights", node, "data/sampler")


def check_rank(m: Machine, rank: Value, replicas: Value, node: ast.AST) -> None:
    if isinstance(rank, int) and isinstance(replicas, int) and not 0 <= rank < replicas:
        raise m.raised("ValueError", f"the rank must be from 0 to {replicas - 1}, and is {rank}", node, "data/sampler")


def check_lengths(m: Machine, lengths: list[Value], node: ast.AST) -> None:
    """Datasets that are stacked must be of one length."""
    known = [n for n in lengths if isinstance(n, (int, Term))]
    for one in known[1:]:
        if isinstance(one, int) and isinstance(known[0], int) and one != known[0]:
            raise m.raised("ValueError", f"the datasets of a StackDataset must have the same length, not {known[0]} and {one}", node, "data/stack")


def unknown_size(m: Machine, size: Unknown, node: ast.AST) -> Value:
    """A symbol for the number of samples in a batch, where it may be a whole number."""
    m.gap("DataLoader", node, "batch_size is not known")
    keyless = not size.key and not size.text and not size.octets and size.number in ("", "int")
    whole = m.symbol(m.name_here("batch_size", node), 1, None, Origin.UNMODELLED) if keyless and size.whole is None else whole_of(size)
    if whole is None:
        return size
    m.assume(ge(whole, 1))
    return whole
