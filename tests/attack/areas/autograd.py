"""Autograd: leaves, writes in place, versions, modes without gradients, detach, second backwards, hooks."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch", "from torch import nn")
    compose(d, (leaves, saved, modes, twice, gradients, grad_call, numbers, frozen, tensor_hooks, views, training, double, own_function, accumulate))


def leaves(d: Draw) -> None:
    n = d.size()
    d.line(f"w = torch.randn({n}, requires_grad=True)")
    change = d.pick("w.add_(1)", "w += 1", "w[0] = 0.0", "w.mul_(2)", "w.zero_()", "w.clamp_(0, 1)", "w.copy_(torch.zeros_like(w))", "nn.init.normal_(w)")
    if change.startswith("nn.init"):
        d.line(change)
    else:
        with d.block(d.wrong("with torch.no_grad():", "with torch.enable_grad():", "if True:")):
            d.line(change)
    d.line("loss = (w ** 2).sum()", "loss.backward()", "print(w.grad.shape)")


def saved(d: Draw) -> None:
    """A result that backward needs, written in place."""
    n, m = d.sizes(2)
    d.line(f"x = torch.randn({n}, {m}, requires_grad=True)")
    function, keeps = d.pick(
        ("x.exp()", True),
        ("x.sigmoid()", True),
        ("x.tanh()", True),
        ("x + 1", False),
        ("x.relu()", True),
        ("x.softmax(-1)", True),
        ("x * 2", False),
        ("x.sqrt()", True),
        ("x.sin()", False),
        ("x - 3", False),
    )
    d.line(f"y = {function}")
    change = d.pick("y.add_(1)", "y += 1", "y *= 2", "y[0] = 0.0", "y.zero_()", "y.clamp_(0)")
    if keeps:
        outside = {
            "y.add_(1)": "y = y.add(1)",
            "y += 1": "y = y + 1",
            "y *= 2": "y = y * 2",
            "y[0] = 0.0": "y = y[0]",
            "y.zero_()": "y = y.clone().zero_()",
            "y.clamp_(0)": "y = y.clamp(0)",
        }[change]
        d.line(d.wrong(outside, change))
    else:
        d.line(change)
    d.line("y.sum().backward()")


def modes(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(f"net = nn.Linear({n}, {m})", f"x = torch.randn(4, {n})")
    with d.block(d.wrong("if True:", "with torch.no_grad():", "with torch.inference_mode():", "with torch.set_grad_enabled(False):")):
        d.line("y = net(x)")
    d.line("loss = y.pow(2).mean()", f"loss{d.wrong('', '.detach()', '.data')}.backward()")
    if d.often():
        d.line(f"with torch.{d.pick('no_grad', 'inference_mode')}():", "    for p in net.parameters():", f"        p -= 0.1 * p.{d.wrong('grad', 'gradient')}")
    else:
        d.line("print(net.weight.grad.norm().item())")


def twice(d: Draw) -> None:
    n = d.size()
    d.line(f"w = torch.randn({n}, requires_grad=True)", f"y = (w {d.pick('* w', '** 2', '* torch.sin(w)')}).sum()")
    d.line(f"y.backward({d.wrong('retain_graph=True', '')})", "y.backward()", "print(w.grad)")


def gradients(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(f"x = torch.randn({n}, {m}, requires_grad=True)", "y = x * 3")
    match d.rng.randrange(4):
        case 0:
            d.line(f"y.backward({d.wrong('torch.ones_like(y)', '', f'torch.ones({m}, {n})')})")
            d.same("x.grad", [n, m])
        case 1:
            d.line(f"z = y.{d.wrong('sum()', 'sum(0)', 'max(1).values')}", "z.backward()", "print(x.grad.shape)")
        case 2:
            d.line(d.wrong("y.retain_grad()", "pass"), "y.mean().backward()", "print(y.grad.shape)")
        case _:
            d.line(d.wrong("y.sum().backward()", "y.sum()"), "x.grad.zero_()")


def grad_call(d: Draw) -> None:
    n = d.size()
    d.line(f"a = torch.randn({n}, requires_grad=True)", f"b = torch.randn({n}, requires_grad={d.wrong(True, False)})")
    used = d.wrong("(a * b).sum()", "(a * 2).sum()", "(a * b)")
    d.line(f"y = {used}", f"ga, gb = torch.autograd.grad(y, {d.pick('[a, b]', '(a, b)')}{d.wrong('', ', allow_unused=True')})", "print((ga + gb).shape)")
    if d.often():
        d.line(f"y2 = (a * a.exp()).sum()\n(g,) = torch.autograd.grad(y2, a, create_graph={d.wrong(True, False)})\ng.sum().backward()")


def numbers(d: Draw) -> None:
    d.line(f"net = nn.Linear({d.size()}, 1)", "import numpy as np")
    d.line(f"y = net(torch.randn(3, net.in_features)){d.wrong('.detach()', '')}")
    d.line(d.pick("a = y.numpy()", "a = np.asarray(y)", "a = np.array(y)", "a = y.cpu().numpy()", "a = np.mean(y.numpy())"), "print(a)")
    if d.often():
        d.line(f"v = float(y{d.wrong('[0]', '')})")


def frozen(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(f"net = nn.Sequential(nn.Linear({n}, {m}), nn.ReLU(), nn.Linear({m}, 2))")
    part = d.wrong("net[0]", "net")
    d.line(f"for p in {part}.parameters():", "    p.requires_grad = False")
    d.line("opt = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)")
    d.line(f"loss = net(torch.randn(5, {d.wrong(n, m)})).mean()", "opt.zero_grad()", "loss.backward()", "opt.step()")


def tensor_hooks(d: Draw) -> None:
    n = d.size()
    seen = d.pick("g * 2", "g.clamp(-1, 1)", "None")
    d.line(f"x = torch.randn({n}, requires_grad={d.wrong(True, False)})")
    d.line(f"x.register_hook(lambda g: {d.wrong(seen, 'g[:1]', 'g.missing()')})", "(x * 2).sum().backward()" if d.often() else "(x ** 2).sum().backward()")


def views(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(f"w = torch.zeros({n}, {m}, requires_grad=True)")
    place = d.pick("w[0]", "w.view(-1)", "w.t()", "w[:, 0]")
    copied = d.pick("v = PLACE.clone()", "v = (w * 1)[0]", "v = PLACE + 0", "v = PLACE.detach()").replace("PLACE", place)
    d.line(d.wrong(copied, f"v = {place}"), d.pick("v.add_(1)", "v.zero_()", "v[0] = 5.0", "v += 2"), "print((w.sum() + v.sum()).item())")


def training(d: Draw) -> None:
    n, m = d.sizes(2)
    kind = d.pick("SGD", "Adam", "AdamW", "RMSprop")
    d.line(f"net = nn.Linear({n}, {m})", f"opt = torch.optim.{kind}({d.wrong('net.parameters()', 'net', '[]')}, lr=0.01)")
    d.line("total = 0")
    with d.block(f"for step in range({d.size(2, 5)}):"):
        d.line(f"x, y = torch.randn(6, {n}), torch.randn(6, {m})", "loss = nn.functional.mse_loss(net(x), y)")
        d.line("opt.zero_grad()", f"loss.backward({d.wrong('', 'torch.ones(2)')})", "opt.step()", f"total += loss.{d.pick('item()', 'detach()')}")
    d.line(f"print({d.pick('total / 3', 'float(total)')})")


def double(d: Draw) -> None:
    n = d.size()
    d.line(
        f"x = torch.randn({n}, requires_grad=True)",
        f"y = (x {d.wrong('** 3', '* 2')}).sum()",
        f"(g,) = torch.autograd.grad(y, x, create_graph={d.wrong(True, False)})",
    )
    d.line("penalty = (g.norm() - 1) ** 2", "penalty.backward()", "print(x.grad)" if d.often() else "print(x.grad.shape)")


def own_function(d: Draw) -> None:
    n = d.size()
    with d.block("class Double(torch.autograd.Function):"):
        with d.block("@staticmethod\ndef forward(ctx, x, k):"):
            d.line("ctx.save_for_backward(x)", "ctx.k = k", "return x * k")
        with d.block("@staticmethod\ndef backward(ctx, grad):"):
            d.line("(x,) = ctx.saved_tensors", f"return {d.wrong('grad * ctx.k, None', 'grad * ctx.k', 'grad[:1] * ctx.k, None', 'grad * ctx.missing, None')}")
    d.line(f"x = torch.randn({n}, requires_grad=True)", f"y = Double.apply({d.wrong('x, 2.0', 'x')})", "y.sum().backward()")
    d.same("x.grad", [n])


def accumulate(d: Draw) -> None:
    n = d.size()
    d.line(f"h = torch.zeros({n})", f"w = torch.randn({n}, {n}, requires_grad=True)")
    with d.block(f"for t in range({d.size(2, 5)}):"):
        d.line("h = torch.tanh(h @ w)")
        if d.often():
            d.line("h.mean().backward()", d.wrong("h = h.detach()", "pass"))
        else:
            d.line(d.pick("h = h + 1", "h = h * 0.5"))
    d.line("print(h.shape)")
