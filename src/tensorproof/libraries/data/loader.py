"""torch.utils.data.DataLoader: a loop over it sees a regular batch and, where the samples may not fill the last one, the residual batch."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import Bound, Iterations, all_items, batches, registry
from tensorproof.libraries.data import loader_checks
from tensorproof.libraries.data.generalised import generalised
from tensorproof.libraries.data.indices import MOST_VISITED, Indices, asked, count_of, drawn, exists, listed, visited
from tensorproof.libraries.data.samples import any_like, has_length, in_own_memory, is_concrete, item_of, length_of, outline, stacked, unknown_length
from tensorproof.libraries.domains import index_limits
from tensorproof.libraries.domains.index_checks import all_of_it, labelled
from tensorproof.terms import BUDGETS, Dim, Origin, TensorType, Term, ceildiv, lower, mod, ne, symbols, upper
from tensorproof.values import MISSING, Choice, Class, Generator, Instance, Iterator, Key, List, Machine, Model, Named, Summary, Unknown, Value, slot
from tensorproof.values.objects import Bound as BoundMethod

SIZE: Key[Dim | Unknown | None] = slot("batch_size")
LOADER = "torch.utils.data.DataLoader"
_KEPT: dict[str, object] = {
    "batch_size": 1, "drop_last": False, "sampler": None, "batch_sampler": None, "collate_fn": None, "num_workers": 0, "shuffle": None, "pin_memory": False,
}  # fmt: skip


MOST_COUNTED = BUDGETS.containers.samples_counted
MOST_TRIED = BUDGETS.containers.lengths_tried
MOST_IN_ORDER = BUDGETS.containers.samples_in_order
ENDLESS: object = object()
"""The length of a dataset that never ends, and what `next` gives at the end of one that does."""


def loader(m: Machine, call: Bound) -> Model:
    made = Model(LOADER, m.heap.space(), m.user_span(call.node))
    loader_init(m, made, call)
    return made


def loader_init(m: Machine, me: Instance | Model, call: Bound) -> None:
    data = call.value("dataset")
    m.heap.set(me.space, "dataset", data)
    for name, default in _KEPT.items():
        m.heap.set(me.space, name, call.value(name, default))
    loader_checks.check_loader(m, call, _is_iterable(data))
    if data is None or isinstance(data, (int, float)):
        raise m.raised("TypeError", f"{data!r} is not a dataset", call.node, "data/dataset")
    if call.value("shuffle") is True:
        loader_checks.check_sized(m, me, call.node)


def _is_iterable(data: Value) -> bool:
    if isinstance(data, Instance):
        return registry.derives_from(data, "torch.utils.data.IterableDataset")
    return isinstance(data, (Generator, Iterator))


def loader_attribute(m: Machine, me: Instance | Model, name: str, node: ast.AST) -> Value:
    if name in me.space:
        return me.space[name]
    if name == "sampler" or name == "batch_sampler":
        return Unknown(name)
    return MISSING


LOADER_METHODS: dict[str, Any] = {
    "__len__": lambda m, me, a, k, n: asked_length(m, me, n),
    "__iter__": lambda m, me, a, k, n: Model("data iterator", m.heap.space({"source": me})),
}


def sample_count(m: Machine, me: Instance | Model, node: ast.AST) -> Any:
    """How many samples one pass sees."""
    loader_checks.check_sized(m, me, node)
    return count_of(m, me.space["sampler"], me.space["dataset"], node)


def asked_length(m: Machine, me: Instance | Model, node: ast.AST) -> Value:
    """`len(loader)`: of an iterable dataset, only where the dataset itself has a length."""
    data = me.space["dataset"]
    if isinstance(data, Instance) and _is_iterable(data) and _without_length(m, data):
        raise m.raised("TypeError", f"{data.cls.name} is an IterableDataset without __len__, so its DataLoader has no len", node, "python/type")
    sampler = me.space["sampler"]
    if isinstance(sampler, Instance) and not exists(me.space["batch_sampler"]) and _without_length(m, sampler):
        raise m.raised("TypeError", f"{sampler.cls.name} has no __len__, so the loader that takes its samples from it has no len", node, "python/type")
    return loader_length(m, me, node)


def _without_length(m: Machine, one: Instance) -> bool:
    """Whether no class that an object is of has a length, as far as all are known."""
    return all(isinstance(c, (Class, Named)) for c in one.cls.mro) and m.in_class(one.cls, "__len__") is MISSING and not has_length(one)


def loader_length(m: Machine, me: Instance | Model, node: ast.AST) -> Value:
    return _batch_count(m, me, me.space["batch_sampler"], node)


def _batch_count(m: Machine, me: Instance | Model, chosen: Value, node: ast.AST) -> Value:
    """How many batches there are: as many as a batch sampler gives, where there is one."""
    if isinstance(chosen, Choice):
        return m.branching.choose(chosen.condition, lambda: _batch_count(m, me, chosen.then, node), lambda: _batch_count(m, me, chosen.other, node))
    if exists(chosen):
        return m.call(len, (chosen,), {}, node)
    size = me.space[SIZE]
    if isinstance(me.space["dataset"], Unknown) or isinstance(size, Unknown):
        return Unknown("len")
    count = sample_count(m, me, node)
    if size is None:
        return count
    return count // size if me.space["drop_last"] is True else ceildiv(count, size)


def loader_items(m: Machine, me: Instance | Model, node: ast.AST) -> list[Value] | None:
    """All batches of one pass, where they can be counted."""
    if _is_iterable(me.space["dataset"]):
        found = loader_iterations(m, me, node)
        return all_items(found) if isinstance(getattr(found, "times", None), int) else None
    count = loader_length(m, me, node)
    if not isinstance(count, int) or count > MOST_COUNTED or exists(me.space["batch_sampler"]):
        return None
    iterations = loader_iterations(m, me, node)
    if not iterations or any(condition is not True for condition, _ in iterations):
        return [] if not iterations else None
    return [iterations[0][1]] * (count - len(iterations) + 1) + [batch for _, batch in iterations[1:]]


def loader_iterations(m: Machine, me: Instance | Model, node: ast.AST) -> Any:
    """The batches of one pass: (condition, batch)."""
    data = me.space["dataset"]
    if isinstance(data, Unknown):
        lost = m.gap("DataLoader", node, f"the dataset is not known: {data.reason}")
        return [(True, _collated_of_unknown(m, me, lost, node))]
    if exists(me.space["batch_sampler"]):
        return _by_batch_sampler(m, me, node)
    loader_checks.check_sized(m, me, node)
    size = me.space["batch_size"]
    if isinstance(size, Unknown):
        size = loader_checks.unknown_size(m, size, node)
    if me.space["drop_last"] is True and isinstance(size, int) and not _is_iterable(data):
        count = sample_count(m, me, node)
        if isinstance(count, int) and count < size:  # no sample is asked for
            return batches(0, lambda k: None, [])
    samples = _Samples(m, me, asked(m, me, size, node), node)
    if size is None:
        one = samples.first
        fn = me.space["collate_fn"]
        return [(True, m.call(fn, (one,), {}, node) if fn is not None else _converted(one))]
    if not isinstance(size, (int, Term)):
        return [(True, m.gap("DataLoader", node, "batch_size is not known"))]
    count = sample_count(m, me, node) if samples.count is None else samples.count
    if count is ENDLESS:
        return [(True, samples.batch(size))]
    return _batches(m, me, samples, count, size, me.space["drop_last"], node)


def _batches(m: Machine, me: Instance | Model, samples: _Samples, count: Any, size: Any, dropping: Value, node: ast.AST) -> list[Value]:
    if isinstance(count, int) and isinstance(size, int):
        rest: list[Value] = []
        ordered = samples.in_order(me, count, size, dropping)
        if ordered is not None:
            return ordered
        whole = samples.batch(size) if count >= size else None
        if count % size and dropping is not True:
            rest = [(True if dropping is False else m.truth(dropping, node), samples.batch(count % size))]
        return batches(count // size, lambda k: whole, rest)
    whole, rest = samples.batch(size), []
    if dropping is not True and size != 1:
        left = mod(count, size)
        if isinstance(size, int) and all(a.origin is Origin.USER for a in symbols(count)):  # the user knows it, the world decides what is left over
            left = m.symbol(m.name_here(f"len(dataset) % {size}", node), 0, size - 1, Origin.WORLD)
        condition = ne(left, 0)
        if condition is True or not isinstance(condition, bool):
            rest.append((condition, samples.batch(left)))
    return batches(count // size, lambda k: whole, rest)


def _collated_of_unknown(m: Machine, me: Instance | Model, lost: Unknown, node: ast.AST) -> Value:
    """A batch of samples of which nothing is known: what the program's own function makes of so many."""
    collate: Value = me.space["collate_fn"]
    size: Any = me.space["batch_size"]
    by_size = isinstance(size, int) and not exists(me.space["batch_sampler"])
    if collate is None or isinstance(collate, (Unknown, Named)) or not (by_size or exists(me.space["batch_sampler"])):
        return lost
    exact = by_size and me.space["drop_last"] is True
    count = size if exact else m.symbol(m.name_here("samples", node), 1, size if by_size else None, Origin.UNMODELLED)
    one = Unknown("a sample that is not known")
    return m.call(collate, (List(m.heap.row([Summary("samples that are not known", count=count, first=one, second=one)])),), {}, node)


def _converted(value: Value) -> Value:
    """Without batches, arrays become tensors and the rest stays."""
    if isinstance(value, TensorType) and value.framework == "numpy":
        return value.but(framework="torch")
    return tuple(map(_converted, value)) if type(value) is tuple else value


def _by_batch_sampler(m: Machine, me: Instance | Model, node: ast.AST) -> Value:
    chosen = me.space["batch_sampler"]
    if isinstance(chosen, Model) and chosen.kind.endswith("BatchSampler"):
        samples = _Samples(m, me, drawn(m, me, chosen, node), node)
        size = chosen.space["batch_size"]
        if not isinstance(size, (int, Term)):
            return [(True, m.gap("BatchSampler", node, "batch_size is not known"))]
        return _batches(m, me, samples, length_of(m, chosen.space["sampler"], node), size, chosen.space["drop_last"], node)
    found = m.iterate(chosen, node)
    if found is None:
        return [(True, m.gap("DataLoader", node, "the batches of its batch_sampler are not known"))]
    chosen_by = [listed(m, b, node) if isinstance(b, (List, tuple, range)) else None for b in found]
    if len(found) <= MOST_VISITED and all(a is not None for a in chosen_by):
        return [(True, _Samples(m, me, a, node).batch(len(b.items) if isinstance(b, List) else len(b))) for a, b in zip(chosen_by, found)]
    samples = _Samples(m, me, None if any(a is None for a in chosen_by) else [i for a in chosen_by if a for i in a], node)
    counts = dict.fromkeys(m.call(len, (b,), {}, node) for b in found)
    if any(not isinstance(c, (int, Term)) for c in counts):
        return [(True, m.gap("DataLoader", node, "the batches of its batch_sampler are not known"))]
    return [(True, samples.batch(c)) for c in counts]


NOT_BY_NUMBER = "its result does not follow from the number of samples"


class _Samples:
    """Two samples of a dataset, and batches of them."""

    def __init__(self, m: Machine, me: Instance | Model, indices: Indices | None, node: ast.AST) -> None:
        self.m, self.node, self.collate, self.whole = m, node, me.space["collate_fn"], all_of_it(me)
        data = me.space["dataset"]
        self.every: list[Value] = []
        """Samples of which each that there is has the numbers of one."""
        self.count: Value = None
        """How many samples an iterable dataset gives, where that is not its length."""
        if _is_iterable(data):
            self.first, self.second, self.count = _two_of_iterable(m, data, node)
        else:
            self.every = every = visited(m, data, indices, node)
            self.first = every[0]
            self.second = next((s for s in every[1:] if outline(s) != outline(every[0])), self.first if is_concrete(self.first) else every[-1])

    def in_order(self, me: Instance | Model, count: int, size: int, dropping: Value) -> list[Value] | None:
        """The batches one by one, where samples differ and come in the order of the dataset; None elsewhere."""
        data = me.space["dataset"]
        plain = isinstance(data, (Model, Instance)) and not _is_iterable(data)
        plain = plain and not (exists(me.space["sampler"]) or me.space["batch_sampler"] or me.space["shuffle"])
        differ = outline(self.first) != outline(self.second) if isinstance(data, Instance) else not is_concrete(self.first)
        if not plain or not differ or not 0 < count <= MOST_IN_ORDER or not isinstance(dropping, bool) or self.collate is not None:
            return None
        items = [item_of(self.m, data, i, self.node) for i in range(count)]
        made: list[Value] = []
        for at in range(0, count - count % size if dropping else count, size):
            part = items[at : at + size]
            self.first, self.every = part[0], part
            self.second = next((s for s in part[1:] if outline(s) != outline(part[0])), part[-1])
            made.append((True, self.batch(len(part))))
        return Iterations(made, (1,) * len(made))

    def batch(self, count: Value) -> Value:
        if self.collate is None or (isinstance(self.collate, Named) and self.collate.name.endswith("default_collate")):
            second = self.first if count == 1 else self.second
            made = in_own_memory(self.m, stacked(self.m, self.first, second, count, self.node))
            labelled(self.m, self.first, second, made, self.whole)
            return index_limits.collated(self.m, self.every, made)
        if isinstance(count, int):
            return self._collated(count)
        return self._of_any_count(count)

    def _collated(self, count: int) -> Value:
        shown = self._any(self.first), self._any(self.second)
        listed = List(self.m.heap.row(shown[i % 2] for i in range(count)))
        return self.m.call(self.collate, (listed,), {}, self.node)

    def _any(self, shown: Value) -> Value:
        """A sample like this one that may be any."""
        return any_like(self.m, shown, self.every, self.node) if len(self.every) > 1 else shown

    def _of_any_count(self, count: Any) -> Value:
        """What a collate function makes of so many samples: of a summarised list or, where it cannot be followed on one, of each number of
        samples that there may be."""
        m, path = self.m, self.m.path
        gaps, stated, findings, facts, errors = len(path.gaps), len(path.stated), len(path.findings), len(m.facts), m.errors
        mark, recorded = m.heap.mark(), path.recorded
        found = self._summarised(count)
        known = len(path.gaps) == gaps and not isinstance(found, Unknown)
        if known or upper(count) > MOST_TRIED:
            m.heap.forget(mark)
            return found if known or len(path.gaps) > gaps else m.gap("collate_fn", self.node, NOT_BY_NUMBER)

        def undo() -> None:
            m.heap.undo(mark)
            m.heap.forget(mark)
            del path.gaps[gaps:], path.stated[stated:], path.findings[findings:], m.facts[facts:]
            path.unrecord(recorded)
            m.errors = errors

        undo()
        mark = m.heap.mark()
        sizes = tuple(range(max(1, int(lower(count))), int(upper(count)) + 1))
        made = [self._collated(n) for n in sizes]
        result = made[0] if len(sizes) == 1 else generalised(m, made, sizes, count)
        if result is not MISSING or isinstance(found, Unknown):
            m.heap.forget(mark)
            return m.gap("collate_fn", self.node, NOT_BY_NUMBER) if result is MISSING else result
        undo()  # a part of what it gives was not understood in either way: the other parts of a batch are known of the list
        return self._summarised(count)

    def _summarised(self, count: Any) -> Value:
        """What the collate function makes of a summarised list."""
        summary = Summary("samples of a summarised list", count=count, first=self._any(self.first), second=self._any(self.second))
        return self.m.call(self.collate, (List(self.m.heap.row([summary])),), {}, self.node)


def _endless(source: Any) -> bool:
    """Whether a generator's text shows that it never ends."""
    code = getattr(getattr(source.frame, "function", None), "code", None)
    if code is None:
        return False
    for statement in code.node.body:
        if isinstance(statement, ast.While) and isinstance(statement.test, ast.Constant) and statement.test.value:
            return not any(isinstance(n, (ast.Break, ast.Return, ast.Raise)) for n in ast.walk(statement))
    return False


def _two_of_iterable(m: Machine, data: Value, node: ast.AST) -> tuple[Value, Value, Value]:
    """Two samples, and the number of samples: ENDLESS, or a symbol when they could not be counted."""
    source = data
    if isinstance(data, Instance):
        found = m.in_class(data.cls, "__iter__")
        if found is MISSING:
            raise m.raised("NotImplementedError", f"{data.cls.name} has no __iter__", node, "data/dataset")
        source = m.call(BoundMethod(found, data), (), {}, node)
    if not isinstance(source, (Generator, Iterator)):
        listed = m.iterate(source, node)
        if not listed:
            one = m.gap("DataLoader", node, "the samples of the dataset are not known")
            return one, one, unknown_length(m, node)
        return listed[0], listed[min(1, len(listed) - 1)], len(listed)
    forks = m.branching.count
    seen: list[Value] = []
    count = 0
    endless = isinstance(source, Generator) and _endless(source)
    while count < (2 if endless else MOST_COUNTED):
        drawn = m.call(next, (source, ENDLESS), {}, node)
        if drawn is ENDLESS:
            break
        if count < 2:
            seen.append(drawn)
        count += 1
    if not seen:
        return Unknown("a sample of an empty dataset"), Unknown("a sample of an empty dataset"), 0
    if endless:
        return seen[0], seen[-1], ENDLESS
    if m.branching.count != forks:  # the world decides how many there are
        return seen[0], seen[-1], unknown_length(m, node)
    more = m.symbol(m.name_here("len(dataset)", node), 1, None, Origin.UNMODELLED)
    return seen[0], seen[-1], count if count < MOST_COUNTED else more


def collated(m: Machine, items: list[Value], node: ast.AST) -> Value:
    """`default_collate` of a list of samples."""
    if not items:
        raise m.raised("IndexError", "there is no sample to make a batch of", node, "data/collate")
    differing = next((i for i in items[1:] if i is not items[0]), items[0])
    return stacked(m, items[0], differing, len(items), node)
