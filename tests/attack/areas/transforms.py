"""What is done to models and functions in training scripts: hooks of tensors, parametrizations, checkpoints, averages, accumulated gradients, torch.func, tracing."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch", "from torch import nn")
    compose(d, (hooks, norms, removed, own, checkpoints, averages, accumulated, gradients, ensembles, traced, empty, surgery, padded, wrapped), 2)


def hooks(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(f"x = torch.randn({a}, requires_grad=True)", f"w = torch.randn({a}, {b}, requires_grad=True)", "seen = []", f"y = (x @ w){d.wrong('', '.detach()')}")
    where = d.pick("x", "y", "w")
    give = d.wrong(
        d.pick("g * 2", "g.clamp(-1, 1)", "None", "seen.append(g)", "g / (g.norm() + 1)"),
        "g.sum(0, keepdim=True)[None]",
        "2.0",
        f"{where}.grad + g" if where != "y" else "'g'",
    )
    match d.rng.randrange(3):
        case 0:
            d.line(f"h = {where}.register_hook(lambda g: {give})")
        case 1 if where != "y":
            d.line(f"{d.wrong(where, 'y')}.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad{d.wrong('.norm()', '.missing()')}))")
        case _:
            d.line(f"y.retain_grad()\nh = {where}.register_hook(lambda g: {give})")
    d.line("y.sum().backward()", f"print({d.wrong('w.grad.shape', 'y.detach().grad.shape')}, x.grad.norm(){d.wrong('', ' + y.grad[0, 0]')})")


def _layer(d: Draw) -> tuple[str, int, int]:
    a, b = d.sizes(2)
    return f"nn.Linear({a}, {b}{d.pick('', ', bias=False')})", a, b


def norms(d: Draw) -> None:
    layer, a, b = _layer(d)
    maker = d.pick("nn.utils.parametrizations.weight_norm", "nn.utils.weight_norm", "nn.utils.parametrizations.spectral_norm", "nn.utils.spectral_norm")
    d.line(f"net = {maker}({layer}{d.wrong('', ', ' + repr('kernel'))})", f"net(torch.randn(3, {d.wrong(a, b)})).sum().backward()")
    parts = {
        "parametrizations.weight": "parametrizations.weight.original0",
        "utils.weight": "weight_g",
        "parametrizations.spectral": "parametrizations.weight.original",
    }
    part = next((p for k, p in parts.items() if k in maker), "weight_orig")
    d.line(d.pick(
        f"print([p.grad.norm() for p in net.parameters()], net.{part}.grad.shape)", f"print(net.{d.wrong(part, 'weight')}.grad.norm())",
        f"net.load_state_dict({d.wrong('net', layer)}.state_dict())", f"torch.optim.SGD({d.wrong('net.parameters()', '[net.weight]')}, lr=0.1).step()",
        f"print(net.state_dict()[{d.wrong(part, 'weight')!r}].shape)",
    ))  # fmt: skip
    d.same("net.weight", [b, a])


def removed(d: Draw) -> None:
    layer, a, _ = _layer(d)
    match d.rng.randrange(3):
        case 0:
            d.line(f"net = {d.wrong('nn.utils.weight_norm', 'nn.utils.spectral_norm')}({layer})", "nn.utils.remove_weight_norm(net)")
        case 1:
            d.line(f"net = nn.utils.spectral_norm({layer})", f"nn.utils.remove_spectral_norm(net{d.wrong('', ', ' + repr('bias'))})")
        case _:
            d.line(
                "from torch.nn.utils import parametrize", f"net = nn.utils.parametrizations.weight_norm({layer})",
                f"parametrize.remove_parametrizations(net, '{d.wrong('weight', 'bias')}')", "print(parametrize.is_parametrized(net))",
            )  # fmt: skip
    d.line(f"net(torch.randn(3, {a})).sum().backward()", "print(net.weight.grad.norm())", f"net.load_state_dict({layer}.state_dict())")
    d.line(d.wrong("pass", "print(net.weight_g)", "print(net.parametrizations)", "nn.utils.remove_weight_norm(net)"))


def own(d: Draw) -> None:
    a = d.size()
    with d.block("class Own(nn.Module):"), d.block("def forward(self, w):"):
        d.line(f"return {d.wrong('w.triu() + w.triu(1).mT', 'w[:1]', 'w.missing()')}")
    d.line(
        "from torch.nn.utils import parametrize", f"net = nn.Linear({a}, {a})",
        f"parametrize.register_parametrization(net, '{d.wrong('weight', 'kernel')}', Own())", f"net(torch.randn(2, {a})).sum().backward()",
        f"print(net.parametrizations.weight.{d.wrong('original', 'originals')}.grad.shape, net.weight{d.wrong('', '.grad')}.mT.shape)",
    )  # fmt: skip


def checkpoints(d: Draw) -> None:
    a, b = d.sizes(2)
    how = d.pick("", ", use_reentrant=True", ", use_reentrant=False")
    d.line(
        "from torch.utils.checkpoint import checkpoint, checkpoint_sequential",
        f"net = nn.Sequential(nn.Linear({a}, {b}), nn.ReLU(), nn.Linear({b}, 2))",
        f"x = torch.randn(3, {a}{', requires_grad=True' if 'False' not in how else ''})",
    )
    match d.rng.randrange(3):
        case 0:
            d.line(f"y = checkpoint(net, x{d.wrong('', '.detach()') if 'False' not in how else ''}{how})")
        case 1:
            with d.block("def run(x, scale=1.0):"):
                d.line("return net(x) * scale")
            d.line(f"y = checkpoint(run, x, {d.wrong('2.0', 'scale=2.0') if 'False' not in how else d.pick('2.0', 'scale=2.0')}{how})")
        case _:
            d.line(f"y = checkpoint_sequential(net, {d.wrong(2, 4, 0)}, x{how or ', use_reentrant=True'})")
    d.line("y.sum().backward()", "print(net[0].weight.grad.shape)")
    d.same("y", [3, 2])


def averages(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line("import copy", f"net = nn.Sequential(nn.Linear({a}, {b}), nn.BatchNorm1d({b}), nn.Linear({b}, 1))")
    match d.rng.randrange(3):
        case 0:
            d.line(
                "ema = copy.deepcopy(net)", f"with torch.{d.wrong('no_grad()', 'enable_grad()')}:", "    for p, q in zip(ema.parameters(), net.parameters()):",
                f"        p.{d.pick('mul_(0.9).add_(q, alpha=0.1)', 'lerp_(q, 0.1)', 'copy_(0.9 * p + 0.1 * q)')}",
                "    for p, q in zip(ema.buffers(), net.buffers()):", f"        p.{d.wrong('copy_(q)', 'lerp_(q, 0.1)')}",
            )  # fmt: skip
        case 1:
            d.line("ema = torch.optim.swa_utils.AveragedModel(net)", f"ema.update_parameters({d.wrong('net', 'net.parameters()')})")
            d.line(f"net.load_state_dict({d.wrong('ema.module', 'ema')}.state_dict())", f"print(ema{d.wrong('.module', '')}[0].weight.shape)")
        case _:
            d.line("ema = copy.deepcopy(net)", "state = net.state_dict()", "with torch.no_grad():", "    for k, v in ema.state_dict().items():")
            d.line(
                f"        {d.wrong('if v.dtype.is_floating_point:', 'if True:')}",
                f"            v.mul_(0.5).add_({d.wrong('state[k]', 'state[k[1:]]')}, alpha=0.5)",
            )
    d.line(f"print(ema{d.wrong('.eval()', '.train()')}(torch.randn(1, {a})).shape)")


def accumulated(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(f"net = nn.Linear({a}, {b})", "opt = torch.optim.SGD(net.parameters(), lr=0.1)", "total = 0.0", "opt.zero_grad()")
    with d.block("for step in range(4):"):
        d.line(f"loss = nn.functional.cross_entropy(net(torch.randn(3, {a})), torch.randint(0, {b}, (3,))) / 2")
        d.line(f"{d.wrong('loss', 'total')}.backward()", f"total += loss{d.wrong('.item()', '')}")
        with d.block(f"if step % 2 == {d.pick(0, 1)}:"):
            d.line(f"norm = nn.utils.clip_grad_norm_({d.pick('net.parameters()', 'list(net.parameters())', 'net.weight')}, {d.wrong('1.0', repr('one'))})")
            d.line("opt.step()", f"opt.zero_grad({d.pick('', 'set_to_none=False')})")
    d.line(f"print({d.wrong('total / 4', 'total.item()', 'total + None')}, norm.item(), {d.wrong('net.weight.shape', 'net.weight.numpy()')})")


def gradients(d: Draw) -> None:
    a, b = d.sizes(2)
    with d.block("def loss(w, x):"):
        d.line("y = x @ w", f"return {d.wrong('y.sum()', 'y', 'y.sum().item()')}, y")
    aux = d.pick("grad", "grad_and_value")
    d.line(f"found = torch.func.{aux}(loss, {d.wrong('has_aux=True', 'argnums=0')})(torch.randn({a}, {b}), torch.randn(3, {d.wrong(a, b)}))")
    d.line("g, y = found" if aux == "grad" else "g, (value, y) = found")
    d.same(*d.pick(("g", [a, b]), ("y", [3, b])))
    if d.often():
        d.line("each = torch.vmap(torch.func.grad(lambda w, x: (x @ w).sum()), in_dims=(None, 0))")
        d.line(f"e = each(torch.randn({a}), torch.randn({d.wrong(f'5, {a}', f'5, {b}')}){d.wrong('', ', 1')})")
        d.same("e", [5, a])


def ensembles(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        "from torch.func import functional_call, stack_module_state", f"nets = [nn.Linear({a}, {b}) for _ in range(3)]",
        "params, buffers = stack_module_state(nets)", f"base = nn.Linear({a}, {b}).to('meta')",
        "run = torch.vmap(lambda p, b, x: functional_call(base, (p, b), (x,)), in_dims=(0, 0, None))", f"y = run(params, buffers, torch.randn(5, {d.wrong(a, b)}))",
    )  # fmt: skip
    d.same(f"y{d.pick('', '.float()')}", [3, 5, b])


def traced(d: Draw) -> None:
    a, b = d.sizes(2)
    with d.block("class Net(nn.Module):"):
        with d.block("def __init__(self):"):
            d.line("super().__init__()", f"self.layers = nn.ModuleList([nn.Linear({a}, {b}), nn.Linear({b}, {a})])")
        with d.block("def forward(self, x):"):
            d.line(
                "for layer in self.layers:",
                "    x = torch.relu(layer(x))",
                f"return {d.wrong(d.pick('x', '(x, x)', '[x]', '{1: x}'), 'x.shape[0]', 'None')}",
            )
    example = f"torch.randn(2, {d.wrong(a, b)})"
    d.line(
        f"net = torch.jit.trace(Net(), {d.pick(example, f'({example},)')})",
        f"print(net(torch.randn(4, {d.wrong(a, a + 1)})))",
        f"print(list(net.{d.wrong('state_dict', 'state_dicts')}()))",
    )


def empty(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line("with torch.device('meta'):", f"    net = nn.Linear({a}, {b})", f"state = {{'weight': torch.zeros({d.shape([b, a])}), 'bias': torch.zeros({b})}}")
    d.line(d.pick(
        f"net = net.{d.wrong('to_empty(device=', 'to(')}'cpu')\nnet.load_state_dict(state)", f"net.load_state_dict(state, {d.wrong('assign=True', 'strict=True')})",
    ))  # fmt: skip
    d.line(f"print(net(torch.randn(2, {a})).sum().item())")


def surgery(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"old = nn.Sequential(nn.Linear({a}, {b}), nn.Linear({b}, 4))",
        f"net = nn.Sequential(nn.Linear({a}, {b}), nn.Linear({b}, {d.pick(4, 5)}))",
        "target = net.state_dict()",
    )
    d.line(
        f"state = {{{d.wrong('k', repr('module.') + ' + k')}: v for k, v in old.state_dict().items() if {d.wrong('v.shape == target[k].shape', 'k in target')}}}"
    )
    d.line(
        d.pick(
            f"found = net.load_state_dict(state, strict={d.wrong('False', 'True')})\nprint(len(found.missing_keys))",
            "target.update(state)\nnet.load_state_dict(target)",
        )
    )
    d.line(
        f"del target[{d.wrong('1.bias', '2.bias')!r}]",
        f"with torch.no_grad():\n    net[0].weight{d.wrong('[:1]', '')}.copy_(old[0].weight[:1]{d.wrong('', '[:, :1].t()[:, :0]')})",
    )


def padded(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        "from torch.nn.utils.rnn import pack_sequence, pack_padded_sequence, pad_packed_sequence",
        f"rnn = nn.{d.pick('GRU', 'LSTM')}({a}, {b}, batch_first=True)",
    )
    d.line(d.pick(
        f"p = pack_padded_sequence(torch.randn(3, 5, {d.wrong(a, b)}), torch.tensor({d.wrong([5, 3, 2], [3, 5, 2], [5, 3], [6, 3, 2], [5, 0, 2])}), batch_first=True)",
        f"p = pack_sequence([torch.randn(n, {d.wrong(a, b)}) for n in {d.wrong([5, 3, 2], [3, 5, 2])}])",
    ))  # fmt: skip
    d.line(
        f"out, state = rnn({d.wrong('p', 'p.batch_sizes', 'p, None, 1')})",
        f"y, lengths = pad_packed_sequence(out, {d.wrong('batch_first=True', 'total_length=2')})",
    )
    d.same("y", [3, 5, b])


def wrapped(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"base = nn.Linear({a}, {b})",
        "net = torch.compile(base, backend='eager')",
        f"print(list(net.state_dict()), net.{d.wrong('_orig_mod', 'module')}.weight.shape)",
    )
    d.line(
        f"base.load_state_dict({d.wrong('base', 'net')}.state_dict())",
        f"print(net.{d.wrong('weight', 'weights')}.shape, base(torch.zeros(1, {d.wrong(a, a + 1)})).shape)",
    )
