"""States: optimizers, schedulers and networks that are saved and go on, copies, devices without memory, networks that are built in parts."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch", "from torch import nn", "import copy")
    compose(d, (groups, resumed, rates, files, without_memory, copied, shared, replaced, frozen, own_optimizer, chained, average, buffers, keys, initial), 2)


OPTIMIZERS = (
    ("SGD({}, lr=0.1, momentum=0.9)", "momentum"), ("SGD({}, lr=0.1)", "nesterov"), ("Adam({})", "betas"), ("AdamW({}, weight_decay=0.1)", "eps"), ("RMSprop({})", "alpha"),
    ("Adagrad({})", "lr_decay"), ("NAdam({})", "momentum_decay"), ("Adadelta({})", "rho"), ("Adamax({})", "weight_decay"), ("RAdam({})", "foreach"), ("ASGD({})", "t0"), ("Rprop({})", "etas"),
)  # fmt: skip


def groups(d: Draw) -> None:
    a, b = d.sizes(2)
    made, key = d.pick(*OPTIMIZERS)
    d.line(
        f"net = nn.Sequential(nn.Linear({a}, {b}), nn.Linear({b}, 2))",
        f"opt = torch.optim.{made.format(d.pick('net.parameters()', '[{chr(39)}params{chr(39)}: net[0].parameters()]' if False else 'list(net.parameters())'))}",
        f"g = opt.param_groups[{d.wrong(0, 1)}]",
        f"print(g['{key}'], g['{d.wrong('weight_decay' if 'Rprop' not in made else 'lr', 'decay')}'], len(g['params']), opt.defaults['{d.wrong('lr', 'rate')}'])",
        "s = opt.state_dict()['param_groups'][0]",
        f"print(s['params'][{d.wrong(3, 4)}], s['{key}'], sorted(s)[0])",
    )


def resumed(d: Draw) -> None:
    a, b = d.sizes(2)
    made, _ = d.pick(*OPTIMIZERS)
    with d.block("def build(n):"):
        d.line(f"net = nn.Linear({a}, n)", f"return net, torch.optim.{made.format('net.parameters()')}")
    d.line(
        f"one, opt = build({b})",
        f"one(torch.randn(2, {a})).sum().backward()",
        "opt.step()",
        f"kept = {d.pick('opt.state_dict()', 'copy.deepcopy(opt.state_dict())')}",
        f"two, again = build({d.wrong(b, b + 1)})",
        f"two.load_state_dict(one.{d.wrong('state_dict()', 'parameters()')})" if d.often(0.7) else "two.zero_grad()",
        f"again.load_state_dict(kept{d.wrong('', '[' + repr('param_groups') + ']', '[' + repr('state') + ']')})",
        f"two(torch.randn(2, {a})).sum().backward()",
        "again.step()",
        f"print(two.weight.reshape({d.wrong(b, a * b + 1)}, -1).shape)",
    )


def rates(d: Draw) -> None:
    a = d.size()
    made = d.pick(
        "StepLR(opt, 2)",
        "ExponentialLR(opt, 0.9)",
        "CosineAnnealingLR(opt, 5)",
        "LambdaLR(opt, lambda e: 1 / (e + 1))",
        "LinearLR(opt)",
        "ConstantLR(opt)",
        "PolynomialLR(opt, 4)",
        "CosineAnnealingWarmRestarts(opt, 2)",
        "OneCycleLR(opt, 0.1, total_steps=9)",
    )
    d.line(
        f"opt = torch.optim.SGD(nn.Linear({a}, 1).parameters(), lr=0.1)",
        f"sched = torch.optim.lr_scheduler.{made}",
        f"for _ in range({d.size(2, 4)}):\n    opt.step()\n    sched.step()",
        f"print(opt.param_groups[0]['{d.wrong('initial_lr', 'first_lr')}'], sched.get_last_lr()[{d.wrong(0, 1)}], sched.{d.wrong('last_epoch', 'epoch')} + 1, sched.base_lrs)",
        f"kept = sched.state_dict()\nprint(kept['{d.wrong('last_epoch', 'epoch')}'], kept['base_lrs'])",
        "sched.load_state_dict(kept)",
        f"torch.optim.lr_scheduler.StepLR({d.wrong('opt', 'torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1)')}, 2, last_epoch={d.pick(3, 3, -1)})",
    )


def files(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"net = nn.Linear({a}, {b})",
        "opt = torch.optim.Adam(net.parameters())",
        "torch.save({'net': net.state_dict(), 'opt': opt.state_dict(), 'epoch': 4}, 'kept.pt')",
        f"kept = torch.load('{d.wrong('kept.pt', 'missing.pt')}'{d.pick('', ', weights_only=True', ', map_location=' + repr('cpu'))})",
        f"net.load_state_dict(kept['{d.wrong('net', 'model')}'])",
        "opt.load_state_dict(kept['opt'])",
        f"print(torch.zeros(kept['epoch']).reshape({d.wrong(4, 5)}), kept['net']['weight'].reshape({d.wrong(b, a * b + 1)}, -1).shape)",
    )


def without_memory(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        "with torch.device('meta'):",
        f"    net = nn.Sequential(nn.Linear({a}, {b}), nn.{d.pick('ReLU()', f'BatchNorm1d({b})', f'LayerNorm({b})')})",
        f"    x = torch.randn(2, {d.wrong(a, a + 1)})",
    )
    match d.rng.randrange(5):
        case 0:
            d.line(f"y = net({d.wrong('x', f'torch.randn(2, {a})')})", f"print(y.shape, y.reshape({b}, {d.wrong(2, 3)}).device, y.is_meta)")
        case 1:
            d.line(f"net = net.{d.wrong('to_empty(device=' + repr('cpu') + ')', 'to(' + repr('cpu') + ')')}", f"print(net(torch.randn(3, {a})).shape)")
        case 2:
            d.line(
                f"full = nn.Sequential(nn.Linear({a}, {d.wrong(b, b + 1)}), net[1].__class__({b}) if len(list(net[1].parameters())) else nn.ReLU())",
                f"net.load_state_dict(full.state_dict(){d.wrong(', assign=True', '')})",
                f"print(net(torch.randn(3, {a})).shape)",
            )
        case 3:
            d.line(
                f"print(sum(p.numel() for p in net.parameters()), x.sum(){d.wrong('.shape', '.item()')}, [p.shape for p in net.parameters()][{d.wrong(0, 9)}])"
            )
        case _:
            d.line(f"y = torch.zeros(2, {a})", f"print((y {d.pick('+', '*')} {d.wrong('torch.ones_like(y)', 'x')}).shape, x.dtype, x[{d.wrong(0, 2)}].shape)")


def copied(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"net = nn.Sequential(nn.Linear({a}, {b}), nn.Tanh())",
        f"other = copy.{d.pick('deepcopy', 'copy')}(net)",
        f"other{d.pick('[0]', '[-2]')} = nn.Linear({a}, {d.wrong(b, b)})" if d.often() else "other.eval()",
        f"layers = nn.ModuleList([copy.deepcopy(net[0]) for _ in range({d.pick(1, 2)})])",
        f"print(len(list(layers.parameters())), layers[{d.wrong(0, 2)}](torch.randn(2, {a})).reshape(2, {d.wrong(b, b + 1)}), other(torch.randn({a})).shape)",
    )


def shared(d: Draw) -> None:
    v, e = d.sizes(2)
    d.line(
        f"table, out = nn.Embedding({v}, {e}), nn.Linear({d.wrong(e, v)}, {v}, bias={d.pick(True, False)})",
        f"out.weight = {d.wrong('table.weight', 'table.weight.t()', 'table.weight.data')}",
        f"x = table(torch.randint(0, {d.wrong(v, v + 9)}, (2, 30)))",
        f"print(out(x).reshape(2, 30, {d.wrong(v, v + 1)}), len({{id(p) for p in (table.weight, out.weight)}}))",
        "(out(x).sum() / 2).backward()",
        "print(table.weight.grad.shape)",
    )


def replaced(d: Draw) -> None:
    a, b, c = d.sizes(3)
    with d.block("class Net(nn.Module):"):
        with d.block("def __init__(self):"):
            d.line("super().__init__()", f"self.body = nn.Sequential(nn.Linear({a}, {b}), nn.ReLU())", f"self.head = nn.Linear({b}, 10)")
        with d.block("def forward(self, x):"):
            d.line("return self.head(self.body(x))")
    d.line(
        "net = Net()",
        d.pick(
            f"net.head = nn.Linear(net.head.{d.wrong('in_features', 'out_features')}, {c})",
            f"net.head = nn.Sequential(nn.Dropout(), nn.Linear({d.wrong(b, b + 1)}, {c}))",
            f"setattr(net, 'head', nn.Linear({b}, {c}))",
            f"del net.head\nnet.head = nn.Linear({b}, {c}){d.wrong('', '.weight')}",
            f"net.head = nn.Identity()\nnet.body[0] = nn.Linear({a}, {d.wrong(c, c + 1)})",
        ),
        f"print(net(torch.randn(4, {a})).reshape(4, {c}), [n for n, _ in net.named_children()][{d.wrong(1, 2)}])",
    )


def frozen(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"net = nn.Sequential(nn.Linear({a}, {b}), nn.Linear({b}, 1))",
        d.pick(
            "net[0].requires_grad_(False)",
            "for p in net[0].parameters():\n    p.requires_grad = False",
            "net.requires_grad_(False)\nnet[1].requires_grad_(True)",
            d.wrong("net[0].eval()", "net.requires_grad_(False)"),
        ),
        f"loss = net(torch.randn(3, {a})).mean()",
        "loss.backward()",
        f"print([p.grad is None for p in net.parameters()], net[{d.wrong(1, 1)}].weight.grad.norm().item(), {d.wrong('net[1]', 'net[0]')}.weight.{d.wrong('requires_grad', 'requires_gradient')})",
    )


def own_optimizer(d: Draw) -> None:
    a = d.size()
    with d.block("class Own(torch.optim.Optimizer):"):
        with d.block("def __init__(self, params, lr=0.1):"):
            d.line(f"super().__init__(params{d.wrong(', dict(lr=lr)', '')})")
        with d.block("@torch.no_grad()\ndef step(self, closure=None):"), d.block("for group in self.param_groups:"), d.block("for p in group['params']:"):
            d.line("if p.grad is None:\n    continue", f"state = self.state[{d.wrong('p', 'p.grad.tolist()')}]")
            d.line("if 'm' not in state:", "    state['m'] = torch.zeros_like(p)")
            d.line("state['m'].mul_(0.9).add_(p.grad)", f"p.add_(state['m'], alpha=-group['{d.wrong('lr', 'rate')}'])")
    d.line(
        f"net = nn.Linear({a}, 2)",
        "opt = Own(net.parameters())",
        "for _ in range(2):",
        f"    opt.zero_grad()\n    net(torch.randn(3, {d.wrong(a, a + 1)})).pow(2).mean().backward()\n    opt.step()",
        "print(len(opt.state), opt.param_groups[0]['lr'])",
    )


def chained(d: Draw) -> None:
    a = d.size()
    d.line(
        f"opt = torch.optim.AdamW(nn.Linear({a}, 1).parameters(), lr=0.1)",
        "warm = torch.optim.lr_scheduler.LinearLR(opt, 0.1, total_iters=2)",
        "rest = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=4)",
        f"sched = torch.optim.lr_scheduler.SequentialLR(opt, [warm, rest], milestones=[2{d.wrong('', ', 3')}])"
        if d.often()
        else f"sched = torch.optim.lr_scheduler.ChainedScheduler([warm, rest{d.wrong('', ', opt')}])",
        "for _ in range(3):\n    opt.step()\n    sched.step()",
        f"print(sched.get_last_lr()[{d.wrong(0, 1)}], opt.param_groups[0]['lr'])",
    )


def average(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"net = nn.Sequential(nn.Linear({a}, {b}), nn.BatchNorm1d({b}))",
        f"mean = torch.optim.swa_utils.AveragedModel(net{d.wrong('', '.parameters()')})",
        f"mean.update_parameters({d.wrong('net', f'nn.Linear({b}, {a + 1})')})",
        f"print(mean(torch.randn(3, {d.wrong(a, b)})).reshape(3, {b}), mean.module[0].weight.shape)",
    )


def buffers(d: Draw) -> None:
    a, b = d.sizes(2)
    with d.block("class Net(nn.Module):"):
        with d.block("def __init__(self):"):
            d.line(
                "super().__init__()",
                f"self.register_buffer('{d.pick('mean', 'scale')}', torch.zeros({a}){d.pick('', ', persistent=False')})",
                f"self.w = nn.Parameter(torch.ones({a}, {b}))",
                "self.register_parameter('none', None)",
            )
        with d.block("def forward(self, x):"):
            d.line(f"return (x - next(self.buffers())) @ self.{d.wrong('w', 'none', 'v')}")
    d.line(
        "net = Net()",
        f"print(net(torch.randn(2, {d.wrong(a, b)})).shape, len(net.state_dict()), [k for k, _ in net.named_parameters()][{d.wrong(0, 1)}])",
        f"net.load_state_dict({d.wrong('net.state_dict()', '{**net.state_dict(), ' + repr('x') + ': torch.zeros(1)}')})",
        f"Net().load_state_dict({{'w': torch.zeros({a}, {d.wrong(b, b + 1)})}}, strict={d.wrong(False, True)})",
    )


def keys(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"net = nn.Sequential(nn.Linear({a}, {b}), nn.ReLU(), nn.Linear({b}, 2))",
        f"state = {{k{d.wrong('', '[1:]', '.upper()')}: v{d.wrong('', '[:1]')} for k, v in net.state_dict().items()}}",
        d.pick(
            "state = dict(state)",
            f"state.pop('{d.wrong('none', '2.bias')}', None)",
            f"state = {{'module.' + k: v for k, v in state.items()}}\nstate = {{k.removeprefix('module.'){d.wrong('', ' + ' + repr('x'))}: v for k, v in state.items()}}",
        ),
        f"found = net.load_state_dict(state{d.pick('', ', strict=True', ', strict=False')})",
        "print(found.missing_keys, len(found.unexpected_keys))",
        f"print(state['0.weight'].reshape({d.wrong(b, a * b + 1)}, -1).shape)" if d.often(0.3) else "print(len(state))",
    )


def initial(d: Draw) -> None:
    a, b = d.sizes(2)
    with d.block("def init(m):"), d.block(f"if isinstance(m, {d.pick('nn.Linear', '(nn.Linear, nn.Conv2d)')}):"):
        d.line(
            f"nn.init.{d.wrong('xavier_uniform_', 'xavier_uniform')}(m.{d.wrong('weight', 'bias')})",
            d.pick("nn.init.zeros_(m.bias)", "m.bias.data.fill_(0.01)", "nn.init.constant_(m.bias, 0)"),
        )
    d.line(
        f"net = nn.Sequential(nn.Linear({a}, {b}), nn.ReLU(), nn.Linear({b}, 2))",
        f"net.apply(init{d.wrong('', '(net)')})",
        f"print(net(torch.randn(3, {a})).shape, net[{d.wrong(2, 1)}].weight.std().item())",
        f"nn.init.orthogonal_(torch.empty({d.wrong(f'{a}, {b}', a)}))",
        f"nn.init.{d.pick('kaiming_normal_', 'trunc_normal_', 'normal_')}(net[0].{d.pick('weight', 'weight.data')})",
    )
