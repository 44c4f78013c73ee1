"""Indices that are computed: drawn, sorted, searched, counted and added up, and what they choose from."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch", "from torch import nn")
    compose(d, (drawn, windows, sorted_, chosen, searched, counted, scattered, masked, labels, embedded, numbers, along, unique, cumulated), 2)


def drawn(d: Draw) -> None:
    n, k = d.size(4, 9), d.size(2, 5)
    d.line(f"x = torch.randn({n}, {k})")
    how = d.rng.randrange(6)
    high = d.wrong(n, n + 40)
    index = (
        f"torch.randint(0, {high}, (30,))",
        f"torch.randperm({d.wrong(n, n + 1)})",
        f"torch.randint({high}, (30,)) // {d.pick(1, 2)}",
        f"(torch.randint(0, 100, (30,)) + torch.randint(0, 100, (30,))) % {d.wrong(n, n + 9)}",
        f"torch.randint(0, {n}, (30,)) {d.wrong('*', '+')} torch.randint(0, {d.wrong(2, n)}, (30,))",
        f"torch.randint(-{d.wrong(n, n + 40)}, {n}, (30,))",
    )[how]
    d.line(f"i = {index}", d.pick("y = x[i]", "y = x.index_select(0, i % x.shape[0])", "y = x[i, 0]", "y = x[i][:, None]"), "print(y.shape)")


def windows(d: Draw) -> None:
    n, w, b = d.size(12, 20), d.size(2, 5), d.size(2, 4)
    d.line(
        f"data = torch.arange({n})",
        f"start = torch.randint(0, len(data) - {d.wrong(w, w - 2)}{d.pick('', ' + 1')}, ({b * 20},))",
        d.pick(
            f"x = data[start[:, None] + torch.arange({w})]",
            f"x = torch.stack([data[i:i + {w}] for i in start])",
            f"x = torch.stack([data[i:i + {w}] for i in start.tolist()])",
        ),
        f"print(x.reshape({b * 20}, {d.wrong(w, w + 1)}))",
    )


def sorted_(d: Draw) -> None:
    n, k, m = d.size(4, 8), d.size(2, 3), d.size(2, 5)
    how = d.pick(f"torch.topk(x, {d.wrong(k, n + 1)})", "x.sort(descending=True)", f"x.topk({k}, dim=0)")
    d.line(
        f"x = torch.randn({n})",
        f"values, order = {how}",
        f"table = torch.zeros({d.wrong(n, n - 1)}, {m})",
        f"print(table[order[:{k}]].reshape({k}, {d.wrong(m, m + 1)}), values[order.argsort()[0]])",
    )


def chosen(d: Draw) -> None:
    b, c, m = d.sizes(3)
    d.line(
        f"p = torch.rand({b}, {c}).softmax(-1)",
        f"i = {d.pick(f'torch.multinomial(p, {d.wrong(2, c + 1)})', 'p.argmax(-1, keepdim=True)', 'p.topk(1).indices', 'torch.distributions.Categorical(p).sample()[:, None]')}",
        f"print(p.gather({d.wrong(1, 2)}, i).shape, nn.Embedding({d.wrong(c, c - 1)}, {m})(i).shape, torch.eye({c})[i].shape)",
    )


def searched(d: Draw) -> None:
    n, k = d.size(3, 8), d.size(2, 6)
    d.line(
        f"edges = torch.linspace(0, 1, {n})",
        f"i = {d.pick('torch.bucketize', 'torch.searchsorted')}({d.pick(f'torch.rand({k * 20}), edges' if False else f'edges, torch.rand({k * 20})')})".replace(
            "bucketize(edges, ", "bucketize(boundaries=edges, input="
        ),
        f"table = torch.zeros({d.wrong(n + 1, n - 1)})",
        f"print(table[i].reshape({k * 20}), edges[(i - 1).clamp(min=0{d.wrong(f', max={n - 1}', '')})].shape)",
    )


def counted(d: Draw) -> None:
    n, c = d.size(5, 9), d.size(2, 5)
    d.line(
        f"y = torch.randint(0, {c}, ({n * 20},))",
        f"count = torch.bincount(y{d.wrong(f', minlength={c}', '.float()')})",
        "weight = 1.0 / count.float().clamp(min=1)",
        f"print(weight[y].reshape({n * 20}), weight.reshape({d.wrong(c, c + 1)}), torch.nn.functional.one_hot(y, {d.wrong(c, c - 1)}).shape)",
    )


def scattered(d: Draw) -> None:
    b, c, k = d.sizes(3)
    d.line(f"i = torch.randint(0, {d.wrong(c, c + 60)}, ({b}, {k}))")
    match d.rng.randrange(4):
        case 0:
            d.line(f"x = torch.zeros({b}, {c}).scatter({d.wrong(1, 2)}, i, 1.0)")
        case 1:
            d.line(f"x = torch.zeros({b}, {c}).scatter_add_(1, i, torch.ones({b}, {d.wrong(k, k - 1)}))")
        case 2:
            d.line(f"x = torch.zeros({b}, {c})", f"x[torch.arange({d.wrong(b, b + 1)})[:, None], i] = 1.0")
        case _:
            d.line(f"x = torch.zeros({c}, {b}).index_add(0, i[0], torch.ones({d.wrong(k, k + 1)}, {b})).t()")
    d.same("x", [b, c])


def masked(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(f"x = torch.randn({a}, {b})", f"m = x {d.pick('>', '<', '>=')} 0")
    match d.rng.randrange(4):
        case 0:
            d.line(f"r, c = m.nonzero({d.wrong('as_tuple=True', '')})", f"print(x[r, c].shape, torch.zeros({d.wrong(a, a - 1)})[r].shape)")
        case 1:
            d.line("p = torch.nonzero(m)", f"print(x[p[:, 0], p[:, {d.wrong(1, 2)}]].shape, x[m].reshape(-1, {d.wrong(1, 97)}).shape)")
        case 2:
            d.line("k = m.sum(1)", f"print(torch.arange({b})[k - {d.wrong(1, b + 2)}].shape, x[torch.arange({a}), k.clamp(max={d.wrong(b - 1, b)})].shape)")
        case _:
            d.line(f"x[m] = {d.wrong('0.0', f'torch.zeros({a * b + 1})')}", f"print(x.masked_select(m).sum(), x[m{d.wrong('', '[0]')}].shape)")


def labels(d: Draw) -> None:
    n, c = d.size(4, 9), d.size(3, 6)
    d.line(
        f"y = torch.randint(0, {c}, ({20 * n},))",
        f"y = {d.pick('y', 'y.clone()', f'torch.where(torch.rand({20 * n}) < 0.1, 0, y)', 'y.flip(0)', 'y[torch.randperm(len(y))]', f'({c} - 1) - y')}{d.wrong('', ' + 1', ' - 1')}",
        f"z = torch.randn({20 * n}, {d.wrong(c, c - 1)})",
        f"print({d.pick('nn.functional.cross_entropy(z, y)', 'nn.functional.nll_loss(z.log_softmax(-1), y)', 'nn.CrossEntropyLoss(ignore_index=-1)(z, y)')})",
    )


def embedded(d: Draw) -> None:
    v, e, t = d.size(6, 12), d.size(2, 5), d.size(3, 6)
    d.line(
        f"table = nn.Embedding({v}, {e}{d.pick('', ', padding_idx=0')})",
        f"x = torch.randint({d.wrong(0, -1)}, {d.wrong(v, v + 9)}, (4, {t}))",
        f"{d.pick('x = torch.cat([torch.zeros(4, 1).long(), x[:, 1:]], 1)', f'x[:, 0] = {d.wrong(v - 1, v)}', 'x = x.roll(1, 1)', f'x = x.masked_fill(torch.rand(4, {t}) < 0.5, {d.wrong(v - 1, v)})')}",
        f"pos = nn.Embedding({d.wrong(t, t - 1)}, {e})(torch.arange({t}))",
        f"print((table(x) + pos).reshape(4, {t}, {d.wrong(e, e + 1)}))",
    )


def numbers(d: Draw) -> None:
    n = d.size(4, 9)
    d.line("import random", "import numpy as np", f"x = {d.pick(f'list(range({n}))', f'torch.zeros({n})', f'np.zeros({n})')}")
    i = d.pick(
        f"random.randint(0, {d.wrong(n - 1, n)})",
        f"random.randrange({d.wrong(n, n + 3)})",
        f"int(torch.randint(0, {d.wrong(n, n + 3)}, ()))",
        f"torch.randint({d.wrong(n, n + 3)}, (1,)).item()",
        f"np.random.randint({d.wrong(n, n + 3)})",
        f"random.choice(range({d.wrong(n, n + 3)}))",
        f"(random.randint(0, 50) + random.randint(0, 50)) % {d.wrong(n, n + 3)}",
        f"int(random.random() * {d.wrong(n, n + 5)})",
    )
    with d.block("for _ in range(40):"):
        d.line(f"i = {i}", f"print(x[{d.pick('i', '-i', f'i {chr(47) * 2} 2', d.wrong('i', 'i + 1'))}])")


def along(d: Draw) -> None:
    a, b, k = d.sizes(3)
    d.line(
        f"x = torch.randn({a}, {b})",
        f"i = x.argsort({d.wrong(1, 2)})[:, :{k}]",
        f"y = {d.pick('torch.take_along_dim(x, i, 1)', 'x.gather(1, i)', f'x[torch.arange({d.wrong(a, a + 1)}).unsqueeze(1), i]')}",
        f"print(y.reshape({a}, {d.wrong(min(b, k), min(b, k) + 1)}), x[:, i[0]].shape, x.t()[i[0]].reshape(-1, {d.wrong(a, a * b + 1)}).shape)",
    )


def unique(d: Draw) -> None:
    n, c = d.size(5, 9), d.size(2, 4)
    d.line(
        f"y = torch.randint(0, {c}, ({20 * n},))",
        f"u, back{d.wrong('', ', more')} = y.unique(return_inverse=True)",
        f"print(u[back].reshape({20 * n}), torch.zeros({d.wrong(c, 1)})[back].shape, torch.zeros({d.wrong(c, 1)})[u].shape, {{int(v): k for k, v in enumerate(u)}})",
    )


def cumulated(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"lengths = torch.tensor([{a}, {b}, 2])",
        "ends = lengths.cumsum(0)",
        f"x = torch.zeros({d.wrong(a + b + 2, a + b + 1)})",
        f"print(x[ends - 1].shape, x[: ends[1]].reshape({d.wrong(a + b, a)}), torch.repeat_interleave(torch.arange(3), lengths).reshape({d.wrong(a + b + 2, 3)}))",
        f"print([part.sum() for part in x.split({d.wrong('lengths.tolist()', '[1, 2]')})])",
    )
