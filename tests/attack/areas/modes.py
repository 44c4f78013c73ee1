"""Modes: autocast, default element types, meta tensors, vmap and torch.func, tracing and compiling."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch", "from torch import nn")
    compose(d, (autocast, default_dtype, meta, vmap, func, jit, evaluation, grad_mode, default_device, types, compiled, half), 2)


def autocast(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"net = nn.Linear({a}, {b})",
        f"x = torch.randn(3, {d.wrong(a, b)})",
        f'with torch.autocast("cpu"{d.pick("", ", dtype=torch.bfloat16")}):',
        "    y = net(x)",
    )
    d.line(
        d.pick(
            f"print((y{d.wrong('.float()', '')} @ torch.randn({b}, 2)).shape)",
            f"print(y{d.wrong('.float()', '')}.detach().numpy())",
            f"z = torch.zeros(3, {b})\nz[0] = y[0]",
            "print(nn.functional.mse_loss(y.float(), torch.zeros_like(y, dtype=torch.float32)))",
        )
    )


def default_dtype(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        "torch.set_default_dtype(torch.float64)",
        f"net = nn.Linear({a}, {b})",
        f"x = torch.randn(2, {a}{d.wrong('', ', dtype=torch.float32')})",
        "y = net(x)",
        "torch.set_default_dtype(torch.float32)",
        f"print((y @ torch.randn({b}, 1{d.wrong(', dtype=torch.float64', '')})).dtype)",
    )


def meta(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f'x = torch.zeros({a}, {b}, device="meta")',
        f"y = x @ torch.zeros({d.wrong(b, a)}, 3, device='meta')",
        f"print(y.shape, y.{d.wrong('numel()', 'sum().item()', 'tolist()')})",
    )
    if d.often():
        d.line(
            "with torch.device('meta'):",
            f"    net = nn.Linear({a}, {b})",
            f"print(net(torch.zeros(2, {a}, device={d.wrong(repr('meta'), repr('cpu'))})).shape)",
        )


def vmap(d: Draw) -> None:
    a, b, c = d.sizes(3)
    d.line(f"f = torch.vmap(lambda x, w: x @ w{d.pick('', ', in_dims=(0, None)')})")
    shared = "None" in d.lines[-1]
    d.line(f"y = f(torch.randn({a}, {b}), torch.randn({'' if shared else str(d.wrong(a, a + 1)) + ', '}{d.wrong(b, c)}, 4))")
    d.same("y", [a, 4])
    if d.often():
        d.line(f"print(torch.vmap(lambda v: {d.wrong('v.sum()', 'v.sum().item()', 'v.sum(1)')})(torch.randn({a}, {b})).reshape({a}))")


def func(d: Draw) -> None:
    a, b = d.sizes(2)
    match d.rng.randrange(4):
        case 0:
            d.line(f"g = torch.func.grad(lambda x: {d.wrong('(x ** 2).sum()', 'x ** 2', 'x.sum().item()')})(torch.randn({a}))")
            d.same("g", [a])
        case 1:
            d.line(f"j = torch.func.{d.pick('jacrev', 'jacfwd')}(lambda x: x @ torch.ones({d.wrong(a, a + 1)}, {b}))(torch.randn({a}))")
            d.same("j", [b, a])
        case 2:
            d.line(
                f"net = nn.Linear({a}, {b})",
                "params = dict(net.named_parameters())",
                d.wrong("pass", "params.pop('bias')", f"params['weight'] = torch.zeros({a}, {b})"),
                f"y = torch.func.functional_call(net, params, (torch.randn(2, {a}),))",
                "print(y.shape)",
            )
        case _:
            d.line(f"h = torch.func.hessian(lambda x: (x ** 3).{d.wrong('sum()', 'missing()')})(torch.randn({a}))")
            d.same("h", [a, a])


def jit(d: Draw) -> None:
    a, b = d.sizes(2)
    match d.rng.randrange(3):
        case 0:
            d.line(f"net = torch.jit.trace(nn.Linear({a}, {b}), torch.randn(2, {d.wrong(a, b)}))", f"print(net(torch.randn(3, {d.wrong(a, a + 1)})).shape)")
        case 1:
            d.line(
                "@torch.jit.script",
                "def f(x: torch.Tensor, n: int) -> torch.Tensor:",
                "    return x.reshape(n, -1)",
                f"print(f(torch.zeros({2 * a}), {d.wrong(2, 4 * a)}).shape)",
            )
        case _:
            d.line(f"net = torch.jit.script(nn.Sequential(nn.Linear({a}, {b}), nn.ReLU()))", f"y = net(torch.randn(3, {d.wrong(a, a + 1)}))")
            d.same("y", [3, b])


def evaluation(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"net = nn.Sequential(nn.Linear({a}, {b}), nn.BatchNorm1d({b}), nn.Dropout(0.5))", d.wrong("net.eval()", "net.train()"), f"y = net(torch.randn(1, {a}))"
    )
    d.same("y", [1, b])


def grad_mode(d: Draw) -> None:
    a = d.size()
    d.line(
        f"x = torch.randn({a}, requires_grad=True)",
        f"with torch.set_grad_enabled({d.wrong('True', 'False')}):",
        "    y = (x * 2).sum()",
        "if torch.is_grad_enabled():",
        "    y.backward()",
        f"@torch.{d.pick('no_grad', 'inference_mode')}()",
        "def f(v):",
        "    return v * 2",
        f"print(f(x){d.wrong('', '.sum().backward()')}, f(x).numpy())",
    )


def default_device(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"torch.set_default_device({d.pick(repr('cpu'), repr('meta'))})",
        f"x = torch.zeros({a})",
        "where = x.device.type",
        "torch.set_default_device('cpu')",
        "if where == 'cpu':",
        f"    print(x + torch.zeros({d.wrong(a, b)}))",
        "else:",
        f"    print(x{d.wrong('.shape', '.tolist()')})",
    )


def types(d: Draw) -> None:
    a, b = d.sizes(2)
    one, two = d.rng.sample(["torch.float32", "torch.float64", "torch.int64", "torch.bool", "torch.float16", "torch.int32"], 2)
    d.line(
        f"x = torch.ones({a}, {b}, dtype={one})",
        f"y = torch.ones({b}, {a}, dtype={d.wrong(one, two)})",
        "print((x.to(torch.float32) @ y.float()).shape)" if one == "torch.bool" else "print((x @ y).shape)",
        f"print((x + y.t()).{d.pick('dtype', 'shape')}, (x{d.wrong('.float()', '.long()')}).mean())",
    )


def compiled(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(f"net = nn.Linear({a}, {b})", f"print(net(torch.zeros(1, {d.wrong(a, b)})).shape, torch.compile is not None)")


def half(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"net = nn.Linear({a}, {b}).{d.pick('half', 'bfloat16', 'double')}()",
        f"x = torch.randn(2, {a})",
        f"y = net(x.to({d.wrong('net.weight.dtype', 'torch.int64', 'torch.float32')}))",
        f"print((y.float() + torch.zeros({b})).dtype)",
    )
