"""Branches and joins: on the environment, on data, on types, with what each side leaves behind."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch", "from torch import nn")
    compose(d, (shapes_differ, layers, bound, types, early, nested, data, lists, objects, ternary, modes, loops), 2)


def condition(d: Draw) -> str:
    return d.flag() if d.often(0.8) else d.pick("torch.rand(()) > 0.5", "torch.randn(3).sum() > 0")


def shapes_differ(d: Draw) -> None:
    a, b, c = d.sizes(3)
    d.line(
        f"if {condition(d)}:",
        f"    x = torch.randn({a}, {b})",
        "else:",
        f"    x = torch.randn({c}, {d.wrong(b, b + 1)})",
        f"y = x @ torch.randn({b}, {d.pick(2, 3)})",
        "print(y.shape)",
    )


def layers(d: Draw) -> None:
    a, b, c = d.sizes(3)
    d.line(
        f"wide = {condition(d)}",
        f"hidden = {b} if wide else {c}",
        f"net = nn.Sequential(nn.Linear({a}, hidden), nn.ReLU())",
        "if wide:",
        f"    net.append(nn.Linear({d.wrong(b, c)}, 4))",
        "else:",
        f"    net.append(nn.Linear({c}, {d.wrong(4, 5)}))",
        f"print((net(torch.randn(2, {a})) + torch.zeros(4)).shape)",
    )


def bound(d: Draw) -> None:
    a = d.size()
    d.line(
        f"flag = {condition(d)}",
        "if flag:",
        f"    x = torch.zeros({a})",
        d.wrong(f"else:\n    x = torch.zeros({a + 1})", "print(flag)"),
        d.pick("print(x.sum())", "if flag:\n    print(x.shape)" if False else "print(x.shape)"),
    )
    if d.often():
        d.line("if flag:", f"    print(x.reshape({d.wrong(a, a + 1)}))")


def types(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        "def f(x):",
        f"    if isinstance(x, {d.wrong('(list, tuple)', 'list')}):",
        "        x = torch.stack(tuple(x))",
        "    return x.sum(-1)",
        f"print(f(({f'torch.zeros({a}), torch.zeros({d.wrong(a, b)})'})).shape, f(torch.zeros({b})).shape)",
    )


def early(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        "def f(x, flag):",
        "    if flag:",
        f"        return {d.wrong('x', 'None', 'x[0]')}",
        "    y = x * 2",
        f"    return y{d.wrong('', '.sum()')}",
        f"y = f(torch.zeros({a}, {b}), {condition(d)})",
    )
    d.same("y", [a, b])


def nested(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        "import os",
        'p = os.environ.get("TP_A") == "1"',
        'q = os.environ.get("TP_B") == "1"',
        f"n = {a}",
        "if p:",
        "    n += 1",
        "if q:",
        "    n += 2",
        f"x = torch.zeros(n, {b})",
        "if p and q:",
        f"    print(x.reshape({b}, {d.wrong(a + 3, a + 2)}))",
        f"elif {d.wrong('p', 'q')}:",
        f"    print(x.reshape({b}, {a + 1}))",
        "elif q:",
        f"    print(x.reshape({b}, {d.wrong(a + 2, a)}))",
        "else:",
        f"    print(x.reshape({b}, {d.wrong(a, a + 1)}))",
    )


def data(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"x = torch.randn({a}, {b})",
        "if x.mean() > 0:",
        "    x = x.t()",
        f"print(x.reshape({d.wrong(a, a * b + 1)}, {b}).shape)" if d.often() else f"print((x @ x.{d.wrong('t()', 'abs()')}).shape)",
    )


def lists(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"parts = [torch.zeros({a}, {b})]",
        f"if {condition(d)}:",
        f"    parts.append(torch.zeros({a + 1}, {d.wrong(b, b + 1)}))",
        f"x = torch.cat(parts{d.wrong('', ', dim=1')})",
        f"print(len(parts), x.sum(0).reshape({d.wrong(b, b + 2)}))",
        f"print(parts[{d.wrong('-1', '1')}].shape)",
    )


def objects(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"cfg = {{'n': {a}}}",
        f"if {condition(d)}:",
        f"    cfg['{d.wrong('n', 'n')}'] = {b}",
        f"    {d.wrong('cfg', 'cfg2')}['m'] = 1",
        "net = nn.Linear(cfg['n'], 2)",
        f"print(net(torch.zeros(3, cfg['{d.wrong('n', 'm')}'])).shape)",
        "if 'm' in cfg:",
        f"    print(torch.zeros(cfg['n']).reshape({d.wrong(b, a)}))",
    )


def ternary(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"n = {a} if {condition(d)} else {b}",
        f"x = torch.zeros(n, {d.wrong('n', 'n + 1')})",
        "print(x @ x)",
        "net = nn.Linear(n, 1) if n > 0 else None",
        f"print(net(x{d.wrong('', '[:, 1:]')}))",
        f"assert n in ({a}, {d.wrong(b, a)})" if d.often(0.4) else "print(n)",
    )


def modes(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"net, x = nn.Linear({a}, {b}), torch.randn(2, {a})",
        f"if {condition(d)}:",
        "    net = net.double()",
        d.wrong("    x = x.double()", "    pass"),
        "y = net(x)",
        f"print(y.to({d.wrong('torch.float32', repr('float32'))}) + torch.zeros({b}))",
    )


def loops(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        "best = None",
        f"for i in range({d.size(2, 4)}):",
        "    score = torch.rand(()).item()",
        "    if best is None or score > best[0]:",
        f"        best = (score, torch.zeros({a}, {d.wrong(b, 'i + 1') if False else b}))",
        f"print(best[{d.wrong(1, 2)}].reshape({b}, {d.wrong(a, a + 1)}))",
    )
