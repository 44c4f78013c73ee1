"""Data loaders: collating, samplers, residual batches, next and zip, state carried from batch to batch."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch", "from torch.utils.data import DataLoader, Dataset, TensorDataset, Subset, ConcatDataset, random_split")
    compose(d, (plain, own_dataset, residual, carried, zipped, first_batch, collate, samplers, subsets, dictionaries, unequal, counted))


def plain(d: Draw) -> None:
    n, m, b = d.size(8, 14), d.size(2, 5), d.size(2, 4)
    d.line(
        f"data = TensorDataset(torch.randn({n}, {m}), torch.zeros({d.wrong(n, n + 1)}))",
        f"loader = DataLoader(data, batch_size={b}, shuffle={d.pick(True, False)})",
        f"net = torch.nn.Linear({d.wrong(m, m + 1)}, 1)",
    )
    with d.block(f"for {d.wrong('x, y', 'x, y, z', 'x')} in loader:"):
        d.line(f"out = net(x){d.pick('.squeeze(-1)', '[:, 0]', '.flatten()')}", "print(((out - y) ** 2).mean())")


def own_dataset(d: Draw) -> None:
    n, m, b = d.size(6, 12), d.size(2, 5), d.size(2, 4)
    with d.block(f"class Data({d.pick('Dataset', 'torch.utils.data.Dataset')}):"):
        with d.block("def __init__(self, n):"):
            d.line("self.n = n", f"self.x = torch.randn(n, {m})")
        with d.block(f"def {d.wrong('__len__', '__length__')}(self):"):
            d.line(f"return self.n{d.wrong('', ' + 1')}")
        with d.block(f"def __getitem__(self, {d.wrong('i', 'i, k')}):"):
            d.line(f"return self.x[i], i % {d.size(2, 3)}")
    d.line(
        f"for x, y in DataLoader(Data({n}), batch_size={b}):",
        f"    print(torch.nn.functional.cross_entropy(x, y{d.wrong('', '.float()', '[:, None]')}))"
        if m > 2
        else f"    print(x.sum(1) + y{d.wrong('', '[None, :, None]', '[1:]')})",
    )


def residual(d: Draw) -> None:
    b, k, m = d.size(2, 5), d.size(2, 3), d.size(2, 4)
    n = b * k + d.size(1, b - 1)
    d.line(
        f"loader = DataLoader(TensorDataset(torch.randn({n}, {m})), batch_size={b}, drop_last={d.wrong(True, False)})",
        "for (x,) in loader:",
        f"    print((x + torch.zeros({b}, {m})).shape)" if d.often() else f"    print(x.view({b}, {m}))",
        f"print(torch.zeros(len(loader)).reshape({d.wrong(k, k + 1)}))",
    )


def carried(d: Draw) -> None:
    b, k, m = d.size(2, 4), d.size(2, 5), d.size(2, 4)
    d.line(f"loader = DataLoader(torch.randn({b * k}, {m}), batch_size={b})")
    match d.rng.randrange(4):
        case 0:
            d.line("seen = []", "for x in loader:", f"    seen.append({d.pick('x', 'x * 2')})", "y = torch.cat(seen)")
            d.same("y", [b * k, m])
        case 1:
            d.line(f"mem = torch.zeros(0, {m})", "for x in loader:", "    mem = torch.cat([mem, x])")
            d.same("mem", [b * k, m])
        case 2:
            d.line(
                "before = None", "for x in loader:", "    if before is not None:", f"        print((x - before{d.wrong('', '[1:]')}).shape)", "    before = x"
            )
        case _:
            d.line(
                "total, count = 0.0, 0",
                "for x in loader:",
                "    total = total + x.sum(0)",
                f"    count += {d.pick('len(x)', 'x.size(0)', 'x.shape[0]')}",
                f"print((total / count).reshape({d.wrong(m, m + 1)}))",
                f"print(torch.zeros(count).reshape({d.wrong(b * k, b * k - 1)}))",
            )


def zipped(d: Draw) -> None:
    b, k, m = d.size(2, 4), d.size(2, 4), d.size(2, 4)
    d.line(f"one = DataLoader(torch.randn({b * k}, {m}), batch_size={b})", f"two = DataLoader(torch.randn({b * (k + 2)}, {m}), batch_size={d.wrong(b, b + 2)})")
    d.line(
        d.pick("for i, (p, q) in enumerate(zip(one, two)):", "for i, (p, q) in enumerate(zip(one, two), 1):"),
        "    print(i, (p + q).shape)",
        "print(torch.zeros(i, 1).shape)",
    )


def first_batch(d: Draw) -> None:
    n, m, b = d.size(8, 12), d.size(2, 4), d.size(2, 4)
    d.line(f"loader = DataLoader(TensorDataset(torch.randn({n}, {m}), torch.arange({n})), batch_size={b})", f"x, y = next({d.wrong('iter(loader)', 'loader')})")
    d.same("x", [b, m])
    d.line(f"print(y.reshape({d.wrong(b, b + 1)}))")
    if d.often():
        full = n // b + (n % b > 0)
        d.line("it = iter(loader)", f"for _ in range({d.wrong(full, full + 1)}):", "    x, y = next(it)")


def collate(d: Draw) -> None:
    n, m, b = d.size(4, 8), d.size(2, 4), d.size(2, 3)
    d.line(f"data = [(torch.randn({m}), i) for i in range({n})]")
    with d.block("def collate(batch):"):
        d.line(f"{d.wrong('xs, ys', 'ys, xs')} = zip(*batch)", f"return torch.{d.wrong('stack', 'tensor')}(xs), torch.tensor(ys{d.wrong('', '.long()')})")
    d.line(
        f"for x, y in DataLoader(data, batch_size={b}, collate_fn=collate{d.wrong('', ', drop_first=True')}):",
        f"    print((x * y{d.wrong('[:, None]', '[None, :, None, None]', '.view(-1, 1, 1, 1, 1).view(-1, 2)')}).shape)",
    )


def samplers(d: Draw) -> None:
    n, b = d.size(6, 12), d.size(2, 3)
    d.line(
        "from torch.utils.data import RandomSampler, SequentialSampler, BatchSampler, WeightedRandomSampler, SubsetRandomSampler",
        f"data = TensorDataset(torch.randn({n}, 3))",
    )
    match d.rng.randrange(4):
        case 0:
            d.line(f"loader = DataLoader(data, batch_size={b}, sampler=RandomSampler(data){d.wrong('', ', shuffle=True')})")
        case 1:
            d.line(
                f"loader = DataLoader(data, batch_sampler=BatchSampler(SequentialSampler(data), {b}, {d.pick(True, False)}){d.wrong('', f', batch_size={b}', ', drop_last=True')})"
            )
        case 2:
            d.line(f"loader = DataLoader(data, batch_size={b}, sampler=WeightedRandomSampler([1.0] * {n}, {d.wrong(b * 2, 0)}))")
        case _:
            d.line(f"loader = DataLoader(data, batch_size={d.wrong(b, 0, -1)}, sampler=SubsetRandomSampler(range({d.wrong(n - 1, n + 1)})))")
    d.line("for (x,) in loader:", "    print((x @ torch.zeros(3, 2)).shape)")


def subsets(d: Draw) -> None:
    n, k = d.size(8, 12), d.size(2, 4)
    d.line(f"data = TensorDataset(torch.randn({n}, 3), torch.ones({n}))")
    match d.rng.randrange(3):
        case 0:
            d.line(f"train, test = random_split(data, [{n - k}, {d.wrong(k, k + 1)}])", f"print(torch.zeros(len(train)).reshape({n - k}))")
        case 1:
            d.line(f"part = Subset(data, [0, {d.wrong(n - 1, n)}])", f"x, y = part[{d.wrong(1, 2)}]", f"print((x + torch.zeros({d.wrong(3, 4)})).shape)")
        case _:
            d.line(
                "both = ConcatDataset([data, data])",
                f"print(torch.zeros(len(both)).reshape({d.wrong(2 * n, n)}))",
                f"x, y = both[{d.wrong(2 * n - 1, 2 * n)}]",
                "print(x.shape)",
            )


def dictionaries(d: Draw) -> None:
    n, m, b = d.size(4, 8), d.size(2, 4), d.size(2, 3)
    d.line(
        f'data = [{{"x": torch.randn({m}), "y": {d.pick("i", "float(i)", "torch.tensor(i)")}}} for i in range({n})]',
        f"for batch in DataLoader(data, batch_size={b}):",
        f'    print((batch["{d.wrong("x", "input")}"].sum(1) + batch["y"]{d.wrong("", "[:, 0]")}).shape)',
    )


def unequal(d: Draw) -> None:
    n, b = d.size(4, 6), d.size(2, 3)
    d.line(f"data = [torch.randn({d.wrong('3', 'i + 1')}) for i in range({n})]", f"for x in DataLoader(data, batch_size={b}):", "    print(x.shape)")


def counted(d: Draw) -> None:
    b, k = d.size(2, 4), d.size(2, 4)
    d.line(
        f"loader = DataLoader(torch.arange({b * k}), batch_size={b})",
        "out = torch.zeros(len(loader))",
        f"for i, x in enumerate(loader{d.wrong('', ', 1')}):",
        f"    out[i] = x{d.wrong('.float().mean()', '.mean()', '.float()')}",
        "print(out)",
    )
