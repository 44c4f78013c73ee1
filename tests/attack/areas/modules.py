"""Modules and their state: containers, buffers, hooks, state_dict, shared and replaced layers."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch", "from torch import nn")
    compose(d, (own_module, module_list, module_dict, sequential, hooks, buffers, state, parameters, replaced, forward_names, applied, copied, moved, weights))


def own_module(d: Draw) -> None:
    n, m, k, b = d.sizes(4)
    with d.block("class Net(nn.Module):"):
        with d.block(f"def __init__(self, n, m, k={k}):"):
            d.line(d.wrong("super().__init__()", "pass"), "self.first = nn.Linear(n, m)", f"self.second = nn.Linear({d.wrong('m', 'n')}, k)")
            if d.often():
                d.line(f"self.norm = nn.{d.pick('BatchNorm1d', 'LayerNorm')}({d.wrong('m', 'n')})")
            else:
                d.line("self.norm = nn.Identity()")
        with d.block("def forward(self, x):"):
            d.line(f"x = torch.relu(self.norm(self.{d.wrong('first', 'frist')}(x)))", f"return self.second({d.wrong('x', 'self.first(x)')})")
    d.line(f"net = Net({d.wrong(f'{n}, {m}', f'{n}', f'{n}, {m}, {k}, 1')})", f"y = net(torch.randn({b}, {d.wrong(n, m)}))")
    d.same("y", [b, k])


def module_list(d: Draw) -> None:
    a, b, c, e = d.sizes(4)
    d.line(f"layers = nn.ModuleList([nn.Linear({a}, {b}), nn.Linear({b}, {c})])")
    last = c
    match d.rng.randrange(5):
        case 0:
            d.line(f"layers.append(nn.Linear({d.wrong(c, e)}, {e}))")
            last = e
        case 1:
            d.line(f"layers.insert({d.wrong(1, 0)}, nn.Linear({b}, {b}))")
        case 2:
            d.line(f"layers.extend([nn.ReLU(), nn.Linear({c}, {e})])")
            last = e
        case 3:
            d.line(d.pick("del layers[1]", "layers.pop(1)", "layers = layers[:1]"))
            last = b
        case _:
            d.line(f"layers[1] = nn.Linear({d.wrong(b, c)}, {e})")
            last = e
    d.line(f"x = torch.randn(5, {a})", "for layer in layers:", f"    x = layer(x){d.pick('', '.relu()')}")
    d.same("x", [5, last])


def module_dict(d: Draw) -> None:
    a, b, c = d.sizes(3)
    d.line(f'heads = nn.ModuleDict({{"cls": nn.Linear({a}, {b}), "box": nn.Linear({a}, {c})}})', f"x = torch.randn(3, {a})")
    d.line("out = {name: head(x) for name, head in heads.items()}")
    d.same(f'out["{d.wrong("cls", "box", "seg")}"]', [3, b])
    if d.often():
        d.line(f'heads["seg"] = nn.Linear({d.wrong(a, b)}, 2)', 'print(heads["seg"](x).shape, len(heads))')


def sequential(d: Draw) -> None:
    a, b, c, e = d.sizes(4)
    d.line(f"net = nn.Sequential(nn.Linear({a}, {b}), nn.ReLU(), nn.Linear({d.wrong(b, c)}, {c}))")
    last = c
    match d.rng.randrange(6):
        case 0:
            d.line(f"net.append(nn.Linear({d.wrong(c, b)}, {e}))")
            last = e
        case 1:
            d.line(f'net.add_module("{d.pick("head", "3")}", nn.Linear({d.wrong(c, b)}, {e}))')
            last = e
        case 2:
            d.line(f"net = net[:{d.wrong(2, 0)}]")
            last = b
        case 3:
            d.line(f"net[{d.wrong(2, 1, 5)}] = nn.Linear({b}, {e})")
            last = e
        case 4:
            d.line("net = nn.Sequential(*list(net.children())[:-1])")
            last = b
        case _:
            pass
    d.line(f"y = net(torch.randn(4, {a}))")
    d.same("y", [4, last])


def hooks(d: Draw) -> None:
    a, b, _c = d.sizes(3)
    d.line(f"net = nn.Linear({a}, {b})")
    match d.rng.randrange(5):
        case 0:
            d.line(
                f"net.register_forward_pre_hook(lambda m, args: ({d.wrong(f'args[0][:, :{a}]', f'args[0][:, :{a - 1}]', 'args[0][0, 0]')},))",
                f"y = net(torch.randn(3, {a + d.pick(0, 2)}))",
            )
            d.same("y", [3, b])
        case 1:
            d.line(f"net.register_forward_hook(lambda m, args, out: {d.wrong('out.sum(1)', 'out.sum(2)', 'out[0].sum(1)')})", f"y = net(torch.randn(3, {a}))")
            d.same("y", [3])
        case 2:
            d.line(
                "seen = {}",
                "def keep(m, args, out):",
                f"    seen[{d.wrong(repr('y'), repr('z'))}] = out.detach()",
                "net.register_forward_hook(keep)",
                f"net(torch.randn(3, {a}))",
            )
            d.same('seen["y"]', [3, b])
        case 3:
            d.line("handle = net.register_forward_hook(lambda m, args, out: out[:, :1])", d.wrong("handle.remove()", "pass"), f"y = net(torch.randn(3, {a}))")
            d.line(f"print(y.reshape(3, {b}))")
        case _:
            d.line(
                "grads = []",
                f"net.register_full_backward_hook(lambda m, gi, go: grads.append({d.wrong('go[0]', 'go[1]')}))",
                f"net(torch.randn(3, {a}, requires_grad=True)).sum().backward()",
            )
            d.same("grads[0]", [3, b])


def buffers(d: Draw) -> None:
    a, b = d.sizes(2)
    with d.block("class Scale(nn.Module):"):
        with d.block("def __init__(self):"):
            d.line(
                "super().__init__()",
                f'self.register_buffer("{d.wrong("mean", "means")}", torch.zeros({d.wrong(a, b)}))',
                f"self.scale = nn.Parameter(torch.ones({a}))",
            )
            if d.often():
                d.line('self.register_parameter("bias", None)')
        with d.block("def forward(self, x):"):
            d.line("return (x - self.mean) * self.scale")
    d.line(
        "m = Scale()", f"y = m(torch.randn(2, {a}))", "names = [n for n, _ in m.named_buffers()]", f"print(names[{d.wrong(0, 1)}], len(list(m.parameters())))"
    )
    d.same("y", [2, a])


def state(d: Draw) -> None:
    a, b, c = d.sizes(3)
    d.line(
        f"one = nn.Sequential(nn.Linear({a}, {b}), nn.BatchNorm1d({b}))",
        f"two = nn.Sequential(nn.Linear({a}, {d.wrong(b, c)}), nn.{d.wrong('BatchNorm1d', 'LayerNorm')}({b}))",
    )
    match d.rng.randrange(3):
        case 0:
            d.line("two.load_state_dict(one.state_dict())")
        case 1:
            d.line("sd = one.state_dict()", f"print(sd['{d.wrong('0.weight', '0.weights', '2.weight')}'].reshape({b}, {a}))", "two.load_state_dict(sd)")
        case _:
            d.line("sd = {k: v for k, v in one.state_dict().items() if k.startswith('0')}", f"two.load_state_dict(sd, strict={d.wrong(False, True)})")
    d.line(f"print(two(torch.randn(3, {a})).shape)")


def parameters(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(f"net = nn.Linear({a}, {b}{d.pick('', ', bias=True')})")
    match d.rng.randrange(4):
        case 0:
            d.line(f"w, c = {d.wrong('net', 'nn.Linear(3, 4, bias=False)')}.parameters()", "print((w.sum(1) + c).shape)")
        case 1:
            d.line("p = dict(net.named_parameters())", f'print(p["{d.wrong("bias", "biases")}"].reshape({b}))')
        case 2:
            d.line("count = sum(p.numel() for p in net.parameters())", f"print(torch.zeros(count).view({d.wrong(a * b + b, a * b)}))")
        case _:
            d.line(f"net.weight = {d.wrong('nn.Parameter', 'torch.as_tensor', '')}(torch.zeros({b}, {a}))", f"print(net(torch.randn(2, {a})).shape)")


def replaced(d: Draw) -> None:
    a, b, c = d.sizes(3)
    d.line(
        "class Net(nn.Module):",
        "    def __init__(self):",
        "        super().__init__()",
        f"        self.body = nn.Linear({a}, {b})",
        f"        self.fc = nn.Linear({b}, 10)",
    )
    d.line("    def forward(self, x):", "        return self.fc(self.body(x).relu())", "net = Net()")
    d.line(
        d.pick(
            f"net.fc = nn.Linear({d.wrong('net.fc.in_features', c)}, {c})",
            f"setattr(net, 'fc', nn.Linear({d.wrong(b, c)}, {c}))",
            f"net.fc = nn.Sequential(nn.Dropout(0.1), nn.Linear({d.wrong(b, c)}, {c}))",
        )
    )
    d.line(f"y = net(torch.randn(3, {a}))")
    d.same("y", [3, c])
    if d.often(0.3):
        d.line("net.fc = nn.Identity()")
        d.same(f"net(torch.randn(3, {a}))", [3, b])


def forward_names(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line("class Net(nn.Module):", "    def __init__(self):", "        super().__init__()", f"        self.fc = nn.Linear({a}, {b})")
    d.line(f"    def {d.wrong('forward', 'foward', 'call')}(self, x, scale=1.0):", "        return self.fc(x) * scale", "net = Net()")
    d.line(f"y = net({d.wrong(f'torch.randn(3, {a}), scale=2.0', f'torch.randn(3, {a}), scales=2.0', '')})")
    d.same("y", [3, b])


def applied(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        "def init(m):",
        "    if isinstance(m, nn.Linear):",
        f"        nn.init.{d.wrong('xavier_uniform_', 'xavier_uniforms_')}(m.{d.wrong('weight', 'bias')})",
        "        nn.init.zeros_(m.bias)",
    )
    d.line(f"net = nn.Sequential(nn.Linear({a}, {b}{d.wrong('', ', bias=False')}), nn.Tanh())", "net.apply(init)", f"print(net(torch.randn(2, {a})).shape)")


def copied(d: Draw) -> None:
    a, b, c = d.sizes(3)
    d.line("import copy", f"net = nn.Linear({a}, {b})", "other = copy.deepcopy(net)", f"net.weight.data = torch.zeros({d.wrong(b, c)}, {a})")
    d.line(f"print(other(torch.randn(2, {a})).shape, net(torch.randn(2, {a})).shape)")
    d.line("for p, q in zip(net.parameters(), other.parameters()):", "    q.data = 0.9 * q.data + 0.1 * p.data")


def moved(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(f"net = nn.Linear({a}, {b})", f"x = torch.randn(3, {a})")
    match d.rng.randrange(4):
        case 0:
            d.line("net.double()", f"print(net(x{d.wrong('.double()', '')}).dtype)")
        case 1:
            d.line("net = net.to(torch.float64)", f"y = net(x.to({d.wrong('torch.float64', 'torch.float32')}))", "print(y.dtype)")
        case 2:
            d.line(f"if {d.flag()}:", "    net.double()", f"    {d.wrong('x = x.double()', 'pass')}", "print(net(x).shape)")
        case _:
            d.line("net.eval()", f"print(net.train({d.wrong('False', repr('eval'))})(x).shape)", "print(net.training)")


def weights(d: Draw) -> None:
    a, b, c = d.sizes(3)
    d.line(f"emb = nn.Embedding({a}, {b})", f"out = nn.Linear({d.wrong(b, c)}, {a}, bias=False)", "out.weight = emb.weight")
    d.line(f"h = emb(torch.tensor([[0, {d.wrong(a - 1, a)}]]))", "y = out(h)")
    d.same("y", [1, 2, a])
