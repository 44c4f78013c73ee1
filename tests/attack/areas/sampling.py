"""Samplers, streams and parts of datasets: which samples a loader asks for, and how many batches follow."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch", "from torch.utils.data import *")
    compose(d, (listed, batched, own_sampler, without_length, weighted, stream, stacked, parts, fractions, mapped, collated, wrapped, iterated, nested), 2)


def _data(d: Draw, n: int, m: int) -> None:
    match d.rng.randrange(4):
        case 0:
            d.line(f"data = TensorDataset(torch.randn({n}, {m}))", "pick = lambda batch: batch[0]")
        case 1:
            d.line(f"data = [torch.randn({m}) for _ in range({n})]", "pick = lambda batch: batch")
        case 2:
            d.line(f"data = torch.randn({n}, {m})", "pick = lambda batch: batch")
        case _:
            with d.block("class Rows(Dataset):"):
                with d.block("def __init__(self, n):"):
                    d.line("self.rows = torch.randn(n, " + str(m) + ")")
                with d.block("def __len__(self):"):
                    d.line("return len(self.rows)")
                with d.block("def __getitem__(self, i):"):
                    d.line(d.pick("return self.rows[i]", "if i >= len(self):\n        raise IndexError(i)\n    return self.rows[i]".replace("\n    ", "\n")))
            d.line(f"data = Rows({n})", "pick = lambda batch: batch")


def _shown(d: Draw, b: int, m: int) -> None:
    d.line(
        "for batch in loader:",
        d.pick(f"    print(pick(batch).reshape(-1, {d.wrong(m, m * b * 50 + 1)}).shape)", f"    print((pick(batch) @ torch.zeros({d.wrong(m, m + 1)})).shape)"),
    )


def listed(d: Draw) -> None:
    n, m, b = d.size(5, 12), d.size(2, 4), d.size(2, 3)
    _data(d, n, m)
    k = d.wrong(n, n + 1)
    order = d.pick(
        f"list(range({k}))",
        f"range({k})",
        f"torch.randperm({k}).tolist()",
        f"[{k - 1}, 0, 1]",
        f"SubsetRandomSampler(range({k}))",
        f"SubsetRandomSampler([0, {k - 1}])",
        f"SequentialSampler(range({k}))",
        f"RandomSampler(range({k}))",
        f"list(range({k}))[::-1]",
    )
    d.line(f"loader = DataLoader(data, batch_size={b}, sampler={order}{d.wrong('', ', shuffle=True')})")
    _shown(d, b, m)
    d.line("print(len(loader))")


def batched(d: Draw) -> None:
    n, m = d.size(5, 9), d.size(2, 4)
    _data(d, n, m)
    k = d.wrong(n - 1, n)
    order = d.pick(
        f"[[0, 1], [2, {k}]]",
        f"BatchSampler(range({k + 1}), 2, False)",
        f"[[i] for i in range({k + 1})]",
        f"BatchSampler(RandomSampler(range({k + 1})), 3, True)",
        f"[(0, {k})]",
        f"BatchSampler([0, {k}], 1, False)",
    )
    d.line(f"loader = DataLoader(data, batch_sampler={order}{d.wrong('', ', batch_size=2', ', drop_last=True')})")
    _shown(d, 2, m)


def own_sampler(d: Draw) -> None:
    n, m, b = d.size(5, 9), d.size(2, 4), d.size(2, 3)
    _data(d, n, m)
    with d.block(f"class Own({d.pick('Sampler', 'torch.utils.data.Sampler', 'Sampler[int]')}):"):
        with d.block("def __init__(self, source):"):
            d.line("self.source = source")
        with d.block("def __iter__(self):"):
            d.line(
                d.pick(
                    f"return iter(range(len(self.source){d.wrong('', ' + 1')}))",
                    f"for i in reversed(range(len(self.source){d.wrong('', ' + 1')})):\n    yield i",
                    f"yield from torch.randperm(len(self.source){d.wrong('', ' + 1')}).tolist()",
                    f"return iter(torch.randperm(len(self.source)).tolist()[:{d.wrong(b, 0) or b}])",
                )
            )
        with d.block(f"def {d.wrong('__len__', 'len')}(self):"):
            d.line("return len(self.source)")
    d.line(f"loader = DataLoader(data, batch_size={b}, sampler=Own(data))")
    _shown(d, b, m)
    d.line("print(len(loader))")


def without_length(d: Draw) -> None:
    n, m, b = d.size(4, 8), d.size(2, 4), d.size(2, 3)
    with d.block("class Bare(Dataset):"), d.block("def __getitem__(self, i):"):
        d.line(d.pick(f"return torch.arange({n})[i] + torch.zeros({m})", f"return torch.zeros({n}, {m})[i]", f"return torch.full(({m},), float(i))"))
    d.line(f"loader = DataLoader(Bare(), batch_size={b}, {d.wrong('sampler', 'generator')}=range({d.wrong(n, n + 1)}))", "pick = lambda batch: batch")
    _shown(d, b, m)


def weighted(d: Draw) -> None:
    n, m, b = d.size(5, 9), d.size(2, 4), d.size(2, 3)
    _data(d, n, m)
    weights = d.pick(f"[1.0] * {d.wrong(n, n + 9)}", f"torch.ones({d.wrong(n, n + 9)})", f"[0.5, 0.5] + [0.1] * {n - 2}", f"torch.rand({n}).tolist()")
    d.line(f"s = WeightedRandomSampler({weights}, {d.wrong(40, 0, -1)}{d.pick('', ', replacement=True', ', replacement=' + str(d.wrong(True, False)))})")
    d.line(f"loader = DataLoader(data, batch_size={b}, sampler=s)", f"print(torch.zeros(len(s)).reshape({d.wrong(40, 41)}))")
    _shown(d, b, m)


def stream(d: Draw) -> None:
    n, m, b = d.size(4, 9), d.size(2, 4), d.size(2, 3)
    with d.block("class Stream(IterableDataset):"):
        with d.block(f"def {d.wrong('__iter__', 'iter')}(self):"):
            d.line(
                d.pick(
                    f"for i in range({n}):\n    yield torch.randn({m}), i",
                    f"return iter([(torch.randn({m}), i) for i in range({n})])",
                    f"return zip(torch.randn({n}, {m}), range({n}))",
                )
            )
        if d.often(0.4):
            d.line(f"def __len__(self):\n    return {n}")
    d.line(f"loader = DataLoader(Stream(), batch_size={b}{d.wrong('', ', shuffle=True', ', sampler=range(3)')}{d.pick('', ', drop_last=True')})")
    d.line(f"for x, y{d.wrong('', ', z')} in loader:", f"    print((x.sum(1) + y).shape, x.reshape(-1, {d.wrong(m, 997)}).shape)")
    if d.often(0.3):
        d.line("print(len(loader))" if "__len__" in "\n".join(d.lines[-9:]) else f"print(len({d.wrong('[loader]', 'loader')}))")


def stacked(d: Draw) -> None:
    n, m, b = d.size(4, 8), d.size(2, 4), d.size(2, 3)
    d.line(
        f"data = StackDataset({d.wrong(f'torch.randn({n}, {m}), torch.arange({n})', f'torch.randn({n}, {m}), torch.arange({n + 1})')})"
        if d.often()
        else f"data = TensorDataset(*(torch.randn({n}, {m}), torch.arange({d.wrong(n, n + 1)})))",
        f"for x, y in DataLoader(data, batch_size={b}, shuffle=True):",
        f"    print((x * y{d.wrong('[:, None]', '[:, None, None].expand(-1, 7, 9)')}).shape)",
        f"print(data[{d.wrong(n - 1, n)}][1], len(data[:2][0]))" if "TensorDataset" in d.lines[-1] else f"print(len(data), data[{d.wrong(-1, n)}][1])",
    )


def parts(d: Draw) -> None:
    n, m, k = d.size(6, 9), d.size(2, 4), d.size(2, 4)
    _data(d, n, m)
    d.line(
        f"some = Subset(data, {d.pick(f'range({d.wrong(k, n + 1)})', f'[0, {d.wrong(n - 1, n)}, 1]', f'torch.randperm({d.wrong(n, n + 1)})[:{k}].tolist()', f'list(range({k}, {d.wrong(n, n + 1)}))')})",
        f"again = {d.pick('ConcatDataset([some, data])', 'some + data', f'Subset(some, [0, {d.wrong(1, 20)}])', 'some')}",
        f"loader = DataLoader(again, batch_size={d.size(1, 3)}{d.pick('', ', shuffle=True', ', drop_last=True')})",
    )
    _shown(d, 3, m)
    d.line("print(len(again), len(loader), len(some.indices))")


def fractions(d: Draw) -> None:
    n, m = d.size(6, 12), d.size(2, 4)
    _data(d, n, m)
    k = n // 3
    how = d.pick(
        f"[{n - k}, {d.wrong(k, k + 1)}]",
        f"[{d.wrong('0.75, 0.25', '0.9, 0.2', '0.5')}]",
        f"(len(data) - {k}, {k})",
        f"[int(0.8 * {n}), {n} - int({d.wrong(0.8, 0.5)} * {n})]",
    )
    d.line(
        f"one, two = random_split(data, {how}{d.pick('', ', generator=torch.Generator().manual_seed(0)')})",
        "loader = DataLoader(two, batch_size=2)",
        "print(len(one) + len(two))",
    )
    _shown(d, 2, m)
    d.line(f"print(torch.zeros(len(one) + len(two)).reshape({d.wrong(n, n + 1)}))")


def mapped(d: Draw) -> None:
    n, m, b = d.size(4, 8), d.size(2, 4), d.size(2, 3)
    with d.block("class Mapped(Dataset):"):
        with d.block("def __init__(self, base, change=None):"):
            d.line("self.base, self.change = base, change")
        with d.block("def __len__(self):"):
            d.line(f"return len(self.base){d.wrong('', ' + 1')}")
        with d.block("def __getitem__(self, i):"):
            d.line("x = self.base[i]", "if self.change is not None:", "    x = self.change(x)", f"return {{'x': x, 'i': i{d.wrong('', '.item()')}}}")
    d.line(
        f"base = {d.pick(f'torch.randn({n}, {m})', f'[torch.randn({m})] * {n}')}",
        f"change = {d.pick('None', 'lambda v: v * 2', f'lambda v: torch.cat([v, torch.zeros({d.wrong(1, 1)})])[:{m}]', f'lambda v: v.reshape({d.wrong(m, m + 1)})')}",
        f"for batch in DataLoader(Mapped(base, change), batch_size={b}):",
        f"    print(batch['{d.wrong('x', 'y')}'].reshape(-1, {m}).shape, batch['i'].float().mean())",
    )


def collated(d: Draw) -> None:
    n, b = d.size(4, 8), d.size(2, 3)
    with d.block("def together(batch):"):
        d.line(
            d.pick(
                f"longest = max(len(x) for x in batch)\nreturn torch.stack([torch.cat([x, torch.zeros(longest - len(x){d.wrong('', ' + len(x)')})]) for x in batch])",
                f"return torch.nn.utils.rnn.pad_sequence(batch, batch_first={d.pick(True, False)})",
                f"return torch.cat(batch), torch.tensor([len(x) for x in batch]{d.wrong('', ' + [batch]')})",
                f"return torch.utils.data.default_collate([x[:{d.wrong(1, 9)}] for x in batch])",
            )
        )
    d.line(
        f"data = [torch.randn(i + 1) for i in range({n})]",
        f"for out in DataLoader(data, batch_size={b}, collate_fn={d.wrong('together', 'None')}):",
        "    print(len(out))",
    )


def wrapped(d: Draw) -> None:
    n, m, b = d.size(4, 9), d.size(2, 4), d.size(2, 3)
    _data(d, n, m)
    d.line(
        f"loader = DataLoader(data, {d.wrong('batch_size', 'batchsize')}={b}, num_workers=0, pin_memory=False{d.wrong('', ', timeout=-1', ', prefetch_factor=2', ', persistent_workers=True')})",
        "again = [pick(x) for x in loader]",
        f"print(torch.cat(again).reshape({n}, {d.wrong(m, m + 1)}), again[{d.wrong(-(-n // b) - 1, -(-n // b))}].shape, loader.batch_size + 1, len(loader.dataset))",
        f"print(again[-1].reshape({d.wrong((n % b) or b, n + b)}, {m}))",
    )


def iterated(d: Draw) -> None:
    n, m, b = d.size(4, 9), d.size(2, 4), d.size(2, 3)
    _data(d, n, m)
    full = -(-n // b)
    d.line(
        f"loader = DataLoader(data, batch_size={b})",
        "it = iter(loader)",
        f"for step in range({d.wrong(full, full + 1)}):",
        "    x = pick(next(it))",
        f"print(next(it, {d.wrong('None', '')}))" if d.often(0.4) else f"print(x.shape[{d.wrong(1, 2)}])",
        "for epoch in range(2):",
        f"    for k, batch in enumerate(loader{d.wrong('', ', 1, 2')}):",
        "        pass",
        f"print(torch.zeros(k + 1).reshape({d.wrong(full, full + 1)}))",
    )


def nested(d: Draw) -> None:
    n, b = d.size(4, 7), d.size(2, 3)
    item = d.pick(
        ("((torch.randn(2), i), [i, float(i)])", "(x, i), (p, q)"), ("{'a': {'b': torch.randn(2)}, 'c': [i]}", "row"), ("(torch.randn(2), None)" if d.often(0.0) else "(torch.randn(2), 'name')", "x, names"),
        ("(torch.randn(2), True)", "x, flag"), ("[torch.randn(2)] * 2", "x, y"),
    )  # fmt: skip
    d.line(f"data = [{item[0]} for i in range({n})]", f"for {item[1]}{d.wrong('', ', more')} in DataLoader(data, batch_size={b}):")
    shown = {
        "(x, i), (p, q)": "x.sum() + i + p + q",
        "row": f"row['a']['{d.wrong('b', 'd')}'].shape, row['c'][0].dtype",
        "x, names": f"x.shape, names[0].{d.wrong('upper', 'shape')}",
        "x, flag": "x[flag].shape",
        "x, y": "(x + y).shape",
    }
    d.line(f"    print({shown[item[1]]})")
