"""Loops and accumulation: counters, carried tensors, while, break and else, nested loops."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch", "from torch import nn")
    compose(d, (growing, counters, whiles, breaking, halving, widening, nested, recursion, history, layers, enumerated, epochs, unknown_count), 2)


def growing(d: Draw) -> None:
    a, b, k = d.sizes(3)
    d.line(f"x = torch.zeros(1, {a})", f"for i in range({k}):", f"    x = torch.cat([x, torch.zeros({b}, {d.wrong(a, a + 1)})])")
    d.same("x", [1 + k * b, a])


def counters(d: Draw) -> None:
    a, k = d.size(), d.size(3, 30)
    d.line("n = 0", f"for i in range({k}):", f"    n += {d.pick('1', '2', 'i')}")
    n = {"1": k, "2": 2 * k, "i": k * (k - 1) // 2}[d.lines[-1].split()[-1]]
    d.line(f"print(torch.zeros(n, {a}).reshape({a}, {d.wrong(n, n + 1)}), i + 1 - {k}, torch.zeros({k})[{d.wrong('i', 'i + 1')}])")


def whiles(d: Draw) -> None:
    a, k = d.size(), d.size(3, 9)
    d.line("n = 1", f"while n < {2**k}:", "    n *= 2", f"print(torch.zeros(n, {a}).reshape({d.wrong(2**k, 2**k + 1)}, {a}))")


def breaking(d: Draw) -> None:
    a, k = d.size(), d.size(4, 9)
    d.line(
        f"for i in range({k}):",
        f"    x = torch.zeros(i + 1, {a})",
        f"    if i == {k - 2}:",
        f"        {d.wrong('break', 'continue')}",
        "else:",
        f"    {d.wrong('x = None', 'x = None')}",
        f"print(x.reshape({k - 1}, {a}))",
    )


def halving(d: Draw) -> None:
    k, e = d.size(2, 4), d.size(2, 3)
    n = e * 2**k
    d.line(f"x = torch.randn(1, 3, {n}, {n})", f"for _ in range({d.wrong(k, k + 3)}):", f"    x = nn.functional.{d.pick('max_pool2d', 'avg_pool2d')}(x, 2)")
    d.same("x", [1, 3, e, e])


def widening(d: Draw) -> None:
    a, k = d.size(2, 4), d.size(2, 5)
    d.line(
        "layers = []",
        f"width = {a}",
        f"for i in range({k}):",
        f"    layers += [nn.Linear(width, {d.wrong('2 * width', '2 * width + 1')}), nn.ReLU()]",
        "    width *= 2",
        f"net = nn.Sequential(*layers, nn.Linear({d.wrong('width', 'width // 2')}, 1))",
        f"print(net(torch.zeros(2, {d.wrong(a, a + 1)})).shape)",
    )


def nested(d: Draw) -> None:
    a, b, c = d.sizes(3)
    d.line(
        "rows = []",
        f"for i in range({a}):",
        "    row = []",
        f"    for j in range({b}):",
        f"        row.append(torch.zeros({d.wrong(c, 'j + 1')}))",
        f"    rows.append(torch.stack(row{d.wrong('', '[i:]')}))",
        "x = torch.stack(rows)",
    )
    d.same("x", [a, b, c])


def recursion(d: Draw) -> None:
    a, k = d.size(), d.size(2, 5)
    d.line(
        "def f(x, n):",
        f"    if n {d.wrong('<= 0', '< -1000')}:" if False else "    if n <= 0:",
        "        return x",
        f"    return f(torch.cat([x, x[:1{d.wrong('', ', 1:')}]]), n - 1)",
        f"y = f(torch.zeros(2, {a}), {k})",
    )
    d.same("y", [2 + k, a])


def history(d: Draw) -> None:
    a, k = d.size(), d.size(2, 6)
    d.line(
        "history = {'loss': []}",
        f"for epoch in range({k}):",
        f"    loss = nn.functional.mse_loss(torch.randn({a}), torch.zeros({d.wrong(a, a + 1)}))",
        f"    history['{d.wrong('loss', 'acc')}'].append(loss.item())",
        f"print(torch.tensor(history['loss']).reshape({d.wrong(k, k + 1)}), min(history['loss']))",
    )


def layers(d: Draw) -> None:
    a, b, c, e = d.sizes(4)
    d.line(
        f"sizes = [{a}, {b}, {c}, {e}]",
        f"net = nn.ModuleList(nn.Linear(i, o) for i, o in zip(sizes[:-1], sizes[{d.wrong(1, 2)}:]))",
        f"x = torch.randn(2, {a})",
        "for i, layer in enumerate(net):",
        "    x = layer(x)",
        "    if i < len(net) - 1:",
        "        x = x.relu()",
        f"print((x + torch.zeros({d.wrong(e, c)})).shape)",
    )


def enumerated(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"out = torch.zeros({a}, {b})",
        f"for i, v in enumerate(torch.randn({d.wrong(a, a + 1)}, {d.wrong(b, b + 1)})):",
        "    out[i] = v",
        f"for i in range({d.wrong(a, a + 1)}):",
        f"    out[i, {d.wrong('-1', str(b))}] += 1",
        "print(out.shape)",
    )


def epochs(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"net = nn.Linear({a}, {b})",
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
        f"sched = torch.optim.lr_scheduler.{d.wrong('StepLR(opt, 2)', 'StepLR(net, 2)', 'StepLR(opt)')}",
        f"for epoch in range({d.size(2, 4)}):",
        f"    for i in range({d.size(1, 3)}):",
        f"        loss = net(torch.randn(3, {d.wrong(a, a + 1)})).{d.wrong('sum()', 'sum(1)')}",
        "        opt.zero_grad()",
        "        loss.backward()",
        "        opt.step()",
        f"    sched.step({d.pick('', '')})",
        f"print(sched.get_last_lr()[{d.wrong(0, 1)}])",
    )


def unknown_count(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"n = {d.size(2, 3)} if {d.flag()} else {d.size(4, 5)}",
        f"x = torch.zeros({a})",
        "for i in range(n):",
        f"    x = {d.pick('x + 1', 'x * 2', 'torch.relu(x)')}" if d.often() else f"    x = torch.cat([x, torch.zeros({b})])",
    )
    grows = "cat" in d.lines[-1]
    if grows:
        d.line(f"print(x.reshape({a} + n * {d.wrong(b, b + 1)}))")
    else:
        d.line(f"print(x.reshape({d.wrong(a, a + 1)}), i + 1 == n)")
