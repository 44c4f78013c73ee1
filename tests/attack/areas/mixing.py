"""NumPy, torch and TensorFlow together: which takes the other's arrays, and with which element type."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import numpy as np", "import torch")
    compose(d, (to_torch, layer, arithmetic, back, targets, scalars, numpy_own, lists, indices), 2)


def to_torch(d: Draw) -> None:
    a, b = d.sizes(2)
    make = d.pick("torch.from_numpy(A)", "torch.tensor(A)", "torch.as_tensor(A)", "torch.Tensor(A)")
    double = make != "torch.Tensor(A)"
    d.line(
        f"a = np.random.rand({a}, {b})",
        f"x = {make.replace('A', 'a')}{(d.wrong('.float()', '') if double else '')}",
        f"net = torch.nn.Linear({d.wrong(b, a)}, 3)",
        "print(net(x).shape)",
    )


def layer(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"x = np.zeros(({a}, {b}), dtype=np.float32)",
        f"y = torch.nn.{d.pick(f'Linear({b}, 2)', 'ReLU()', f'LayerNorm({b})')}({d.wrong('torch.from_numpy(x)', 'x')})",
        "print(y.shape)",
    )


def arithmetic(d: Draw) -> None:
    a, b = d.sizes(2)
    op = d.pick("+", "*", "-")
    match d.rng.randrange(4):
        case 0:
            d.line(f"y = torch.zeros({a}, {b}) {op} {d.wrong('torch.from_numpy', '')}(np.ones(({d.wrong(a, a + 1)}, {b})))", "print(y.shape)")
        case 1:
            d.line(f"y = torch.zeros({a}) {op} np.{d.pick('float32(2)', 'pi', 'int64(3)')}", f"print(y.reshape({d.wrong(a, b)}))")
        case 2:
            d.line(f"y = torch.ones({a}, {b}) @ {d.wrong(f'torch.ones({b}, 2)', f'np.ones(({b}, 2))')}", "print(y.shape)")
        case _:
            d.line(f"y = np.ones(({a}, {b})) @ torch.ones({d.wrong(b, a)}, 2).numpy()", f"print(y.reshape({d.wrong(a, b)}, 2))")


def back(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"x = torch.randn({a}, {b}{d.wrong('', ', requires_grad=True')})",
        d.pick("y = x.numpy()", "y = np.array(x)", "y = np.asarray(x)"),
        f"print(np.{d.pick('mean', 'sum', 'max')}(y, axis={d.wrong(1, 2)}).reshape({d.wrong(a, b)}), y.{d.wrong('astype', 'to')}(np.float32).dtype)",
    )


def targets(d: Draw) -> None:
    b, c = d.sizes(2)
    d.line(
        f"labels = np.random.randint(0, {c}, {b})",
        f"y = torch.{d.wrong('from_numpy(labels)', 'from_numpy(labels.astype(np.float32))', 'tensor(labels, dtype=torch.int16)')}",
        f"print(torch.nn.functional.cross_entropy(torch.randn({b}, {c}), {d.wrong('y', 'labels')}))",
    )


def scalars(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"n = np.{d.pick('int64', 'int32')}({a})",
        f"x = torch.zeros(n, {b})",
        f"print(x.reshape({b}, {d.wrong('n', 'n + 1')}), x.sum().item() + np.float64(1), np.prod(x.shape).{d.wrong('item()', 'items()')})",
        "m = np.prod(x.shape)",
        f"print(x.view(int(m){d.wrong('', ' + 1')}).shape)",
    )


def numpy_own(d: Draw) -> None:
    a, b, c = d.sizes(3)
    match d.rng.randrange(6):
        case 0:
            d.line(f"x = np.zeros(({a}, {b}))", f"y = x {d.pick('+', '*')} np.ones({d.wrong(b, c)})", f"print(y.T.reshape({d.wrong(a, a * b * c)}, {b}))")
        case 1:
            d.line(
                f"x = np.concatenate([np.zeros(({a}, {b})), np.zeros(({c}, {d.wrong(b, b + 1)}))]{d.pick('', ', axis=0')})",
                f"print(x.reshape({d.wrong(a + c, a + c + 1)}, {b}))",
            )
        case 2:
            d.line(f"x = np.stack([np.zeros({a})] * {b}, axis={d.wrong(1, 2)})", f"print(x[:, {d.wrong(b - 1, b)}].reshape({a}))")
        case 3:
            d.line(
                f"x = np.zeros(({a}, {b}))",
                f"x[0] = np.ones({d.wrong(b, c)})",
                f"x[{d.wrong('-1', str(a))}, 0] = 2",
                f"print(np.argmax(x, axis={d.wrong(1, 2)}).reshape({a}))",
            )
        case 4:
            d.line(
                f"m = np.zeros({a}, dtype=bool)",
                f"x = np.zeros(({d.wrong(a, a + 1)}, {b}))",
                f"print(x[m].shape, np.where(m, 1, {d.wrong('0', f'np.zeros({a + 1})')}).shape)",
            )
        case _:
            d.line(
                f"e = np.eye({a})[{d.wrong([0, a - 1], [0, a])}]",
                f"print(e.reshape(2, {d.wrong(a, a + 1)}), np.linalg.inv(np.eye({a}){d.wrong('', '[:1]')}).shape)",
            )


def lists(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"x = torch.tensor([{d.wrong('np.zeros(3), np.ones(3)', 'np.zeros(3), np.ones(2)')}])"
        if d.often(0.3)
        else f"x = torch.tensor(np.array([np.zeros({a}) for _ in range({b})]))",
        "print(x.shape)",
        f"y = torch.stack([{d.wrong('torch.zeros(3)', 'np.zeros(3)')}, torch.zeros(3)])",
        "print(y.shape)",
    )


def indices(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"x = torch.zeros({a}, {b})",
        f"i = np.array([0, {d.wrong(a - 1, a)}])",
        f"print(x[i].reshape(2, {d.wrong(b, b + 1)}), x[np.int64({d.wrong(0, a)})].shape)",
        f"order = np.random.permutation({d.wrong(a, a + 1)})",
        "print(x[order].shape)" if d.often() else "print(x.numpy()[order].shape)",
    )
