"""NumPy: arrays, indices, broadcasting, element types, and what crosses over to tensors."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import numpy as np", "import torch")
    compose(d, (broadcast, stacked, indexed, masks, reduced, types, splits, batches, pictures, normalised, algebra, one_hot, sorted_), 2)


def fits(d: Draw, expression: str, sizes: list[int]) -> None:
    d.line(d.pick(f"print(({expression} + np.zeros(({d.shape(sizes)},))).shape)", f"print(np.asarray({expression}).reshape({d.shape(sizes)}).shape)"))


def broadcast(d: Draw) -> None:
    a, b, _ = d.sizes(3)
    d.line(
        f"x = np.{d.pick('zeros', 'ones', 'empty')}(({a}, {b}))",
        f"y = np.arange({d.wrong(a, a + 1)}){d.wrong('[:, None]', '[None, :, None, None]')}",
        "z = x * y",
    )
    fits(d, "z", [a, b])


def stacked(d: Draw) -> None:
    a, b, c = d.sizes(3)
    match d.rng.randrange(3):
        case 0:
            d.line(f"z = np.concatenate([np.zeros(({a}, {c})), np.ones(({b}, {d.wrong(c, c + 1)}))], axis={d.wrong(0, 2)})")
            fits(d, "z", [a + b, c])
        case 1:
            d.line(f"z = np.{d.pick('vstack', 'row_stack') if False else 'vstack'}([np.zeros({a}), np.ones({d.wrong(a, b)})])")
            fits(d, "z", [2, a])
        case _:
            d.line(f"z = np.stack([np.zeros(({a}, {b}))] * {c}, axis={d.wrong(-1, 3)})")
            fits(d, "z", [a, b, c])


def indexed(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"x = np.arange({a * b}).reshape({a}, {d.wrong(b, b + 1)})",
        f"i = np.random.{d.pick(f'randint(0, {d.wrong(a, a + 50)}, 40)', f'permutation({d.wrong(a, a + 1)})', f'choice({a}, 2)')}",
        "y = x[i]",
        f"print(y.reshape(-1, {d.wrong(b, 97)}).shape, x[{d.wrong(a - 1, a)}, {d.wrong(-b, -b - 1)}], x[:, ::2].shape)",
    )


def masks(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"x = np.random.rand({a}, {b})",
        f"m = x[{d.wrong(':, 0', '0')}] > 0.5",
        "y = x[m]",
        f"print(y.shape[1], np.where(m)[{d.wrong(0, 1)}].shape, np.where(m[:, None], x, {d.wrong('0', f'np.zeros({b + 1})')}).shape)",
    )


def reduced(d: Draw) -> None:
    a, b, c = d.sizes(3)
    d.line(
        f"x = np.random.randn({a}, {b}, {c})",
        f"y = x.{d.pick('mean', 'sum', 'max', 'std')}(axis={d.wrong('1', '3', '(0, 0)')}{d.pick('', ', keepdims=False')})",
    )
    fits(d, "y", [a, c])
    d.line(f"print(np.linalg.norm(x, axis={d.wrong(-1, 4)}).shape, y.argmax().{d.wrong('item()', 'items()')})")


def types(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"x = np.arange({a}{d.pick('', ', dtype=np.int64')})",
        f"x {d.wrong('+=', '/=')} {d.wrong('2', '0.5')}",
        f"t = torch.{d.pick('from_numpy', 'tensor', 'as_tensor')}(x.astype(np.{d.wrong('float32', 'float64')}))",
        f"print(torch.nn.Linear({d.wrong(a, b)}, 2)(t).shape)",
    )


def splits(d: Draw) -> None:
    n, m = d.size(6, 12), d.size(2, 4)
    d.line(
        f"x, y = np.zeros(({n}, {m})), np.zeros({d.wrong(n, n + 1)})",
        f"order = np.random.permutation(len({d.wrong('x', 'y')}))",
        "x, y = x[order], y[order]",
        f"cut = int(0.5 * {n})",
        "p, q = x[:cut], x[cut:]",
        f"print(p.reshape(cut, {d.wrong(m, m + 1)}), q.shape[{d.wrong(0, 2)}], np.array_split(x, 3)[{d.wrong(2, 3)}].shape, (x.sum(1) + y).shape)",
    )


def batches(d: Draw) -> None:
    n, m, b = d.size(6, 10), d.size(2, 4), d.size(2, 4)
    d.line(
        f"x = np.zeros(({n}, {m}), dtype=np.float32)",
        f"for i in range(0, len(x){d.wrong(f' - {b} + 1', '')}, {b}):",
        f"    part = x[i:i + {b}]",
        f"    print((part * np.ones(({b}, {d.wrong(1, m + 1)}))).shape)",
        f"print(part.shape[0], torch.from_numpy(part){d.wrong('', '.dim')} @ torch.ones({d.wrong(m, m + 1)}))",
    )


def pictures(d: Draw) -> None:
    h, w, b = d.sizes(3)
    d.line(
        f"img = np.random.randint(0, 256, ({h}, {w}, 3), dtype=np.uint8)",
        f"x = img.transpose({d.wrong('2, 0, 1', '2, 0')}).astype('float32') / 255.0",
        f"x = (x - np.array([0.5, 0.5, 0.5]){d.wrong('[:, None, None]', '')}) / 0.25",
        f"t = torch.from_numpy(x{d.wrong('', '[:, ::-1]')}).unsqueeze(0){d.wrong('.float()', '')}",
        f"print(torch.nn.Conv2d(3, {b}, 1)(t).reshape({b}, {h}, {d.wrong(w, w + 1)}))",
    )


def normalised(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(
        f"x = np.random.rand({n}, {m})",
        f"mean, std = x.mean({d.wrong('0', '1')}), x.std(axis=0{d.pick('', ', ddof=1')})",
        "z = (x - mean) / (std + 1e-8)",
        f"print(np.allclose(z.mean(0), np.zeros({d.wrong(m, m + 1)})), np.clip(z{d.wrong(', -1, 1', '')}).shape)",
    )


def algebra(d: Draw) -> None:
    a, b, c = d.sizes(3)
    d.line(
        f"x, y = np.random.rand({a}, {b}), np.random.rand({d.wrong(b, b + 1)}, {c})",
        f"z = {d.pick('x @ y', 'np.dot(x, y)', 'np.matmul(x, y)', 'np.einsum(' + repr(d.wrong('ij,jk->ik', 'ij,kj->ik')) + ', x, y)')}",
        f"u, s, v = np.linalg.svd(z{d.wrong('', '[0]')}, full_matrices=False)",
        f"print((u * s @ v).reshape({a}, {d.wrong(c, c + 1)}), np.linalg.inv(np.eye({a}){d.wrong('', '[1:]')}).shape, np.outer(z[0], z[:, 0]).shape)",
    )


def one_hot(d: Draw) -> None:
    n, c = d.sizes(2)
    d.line(
        f"labels = np.random.randint({d.wrong(c, c + 60)}, size={10 * n})",
        f"y = np.eye({c}){d.wrong('[labels]', '[labels.astype(float)]')}",
        f"print(y.reshape({10 * n}, {d.wrong(c, c + 1)}).argmax({d.wrong(1, 2)}).shape, np.bincount(labels, minlength={c}).shape)",
    )


def sorted_(d: Draw) -> None:
    n, k = d.size(5, 9), d.size(2, 4)
    d.line(
        f"x = np.random.rand({n})",
        f"top = np.argsort(x{d.wrong('', ', axis=1')})[::-1][:{k}]",
        f"print(x[top].reshape({d.wrong(k, k + 1)}), np.sort(x)[{d.wrong(-1, n)}], np.unique(np.array([1, 1, 2])).reshape({d.wrong(2, 3)}), top{d.wrong('.tolist()', '.to_list()')})",
    )
