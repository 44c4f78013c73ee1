"""Training: optimizers and their groups, schedulers, gradients that are clipped, scaled and accumulated, saved states."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch", "from torch import nn", "import torch.nn.functional as F")
    compose(d, (steps, groups, schedulers, clipped, closures, saved, accumulated, averaged, early, frozen, scaled), 2)


def steps(d: Draw) -> None:
    a, b = d.sizes(2)
    made = d.pick("SGD({}, lr=0.1)", "Adam({}, lr=1e-3)", "AdamW({})", "RMSprop({}, lr=0.01)", "SGD({}, lr=0.1, momentum=0.9, nesterov=True)")
    d.line(
        f"net = nn.Linear({a}, {b})",
        f"opt = torch.optim.{made.format(d.wrong('net.parameters()', 'net', 'net.parameters', 'net.weight'))}",
        f"for step in range({d.pick(2, 3)}):",
        f"    opt.{d.wrong('zero_grad', 'zero_grads')}()",
        f"    loss = F.mse_loss(net(torch.randn(4, {a})), torch.zeros(4, {d.wrong(b, b + 1)}))",
        f"    loss{d.wrong('', '.detach()', '.item()')}.backward()",
        "    opt.step()",
        f"print(loss.item(), opt.param_groups[{d.wrong(0, 1)}]['{d.wrong('lr', 'rate')}'])",
    )


def groups(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"body, head = nn.Linear({a}, {b}), nn.Linear({b}, 2)",
        f"opt = torch.optim.SGD([{{'params': body.parameters()}}, {{'{d.wrong('params', 'param')}': {d.wrong('head', 'body')}.parameters(), 'lr': 0.01}}], lr=0.1)",
        f"opt.param_groups[{d.wrong(1, 2)}]['lr'] *= 0.5",
        f"for group in opt.param_groups:\n    print(len(group['params']), group['{d.wrong('lr', 'learning_rate')}'])",
        f"extra = nn.Parameter(torch.zeros({a}))",
        f"opt.add_param_group({{'params': {d.wrong('[extra]', 'head.parameters()')}}})",
        f"print(torch.zeros(len(opt.param_groups)).reshape({d.wrong(3, 2)}))",
    )


def schedulers(d: Draw) -> None:
    a = d.size()
    made = d.pick(
        f"StepLR(opt, {d.wrong('step_size=2', '')})", "CosineAnnealingLR(opt, T_max=4)", f"MultiStepLR(opt, milestones=[1, 3]{d.wrong('', ', gama=0.1')})",
        f"LambdaLR(opt, {d.wrong('lambda e: 0.9 ** e', '0.9')})", "ReduceLROnPlateau(opt, patience=1)", "ExponentialLR(opt, 0.9)",
    )  # fmt: skip
    plateau = "Plateau" in made
    d.line(
        f"net = nn.Linear({a}, 1)",
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
        f"sched = torch.optim.lr_scheduler.{made}",
        "for epoch in range(3):",
        f"    opt.zero_grad()\n    loss = net(torch.randn(2, {a})).sum()\n    loss.backward()\n    opt.step()",
        f"    sched.step({d.wrong('loss.item()', '') if plateau else ''})",
        f"print(sched.{d.wrong('get_last_lr()', 'get_lrs()')}[{d.wrong(0, 1)}])",
    )


def clipped(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"net = nn.Sequential(nn.Linear({a}, {b}), nn.Tanh(), nn.Linear({b}, 1))",
        f"net(torch.randn(3, {d.wrong(a, b)})).mean().backward()",
        f"norm = nn.utils.{d.pick('clip_grad_norm_(net.parameters(), 1.0)', 'clip_grad_norm_(list(net.parameters()), max_norm=0.5)')}",
        f"print(norm.item(), nn.utils.clip_grad_value_(net.parameters(){d.wrong(', 0.5', '')}))",
        "total = torch.stack([p.grad.norm() for p in net.parameters()])",
        f"print(total.reshape({d.wrong(4, 3)}), net[{d.wrong(0, 1)}].weight.grad.shape)",
    )  # fmt: skip


def closures(d: Draw) -> None:
    a = d.size()
    d.line(
        f"w = torch.randn({a}, requires_grad={d.wrong(True, False)})",
        f"opt = torch.optim.LBFGS([w], max_iter={d.pick(2, 3)})",
        "def closure():",
        "    opt.zero_grad()",
        "    loss = (w ** 2).sum()",
        "    loss.backward()",
        f"    return {d.wrong('loss', 'loss')}",
        f"opt.step({d.wrong('closure', '')})",
        f"print(w.detach().reshape({d.wrong(a, a + 1)}))",
    )


def saved(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"one, two = nn.Linear({a}, {b}), nn.Linear({a}, {d.wrong(b, b + 1)})",
        f"two.load_state_dict(one.state_dict(){d.pick('', ', strict=True')})",
        "opt = torch.optim.Adam(one.parameters())",
        "state = {'model': one.state_dict(), 'opt': opt.state_dict(), 'epoch': 3}",
        f"again = torch.optim.Adam({d.wrong('two.parameters()', '[two.weight]')})",
        f"again.load_state_dict(state['{d.wrong('opt', 'model')}'])",
        f"print(torch.zeros(state['{d.wrong('epoch', 'epochs')}']).reshape(3), len(again.param_groups))",
    )


def accumulated(d: Draw) -> None:
    a, k = d.sizes(2)
    d.line(
        f"net = nn.Linear({a}, 1)",
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
        "total = 0",
        f"for step in range({k}):",
        f"    loss = net(torch.randn(2, {a})).{d.wrong('mean()', 'mean(0, keepdim=True).expand(2, 1)')} / {k}",
        "    loss.backward()",
        f"    total += loss{d.pick('.item()', '.detach()')}",
        f"    if (step + 1) % {d.pick(2, 3)} == 0:",
        "        opt.step()",
        "        opt.zero_grad()",
        f"print(float(total), torch.zeros(step).reshape({d.wrong(k - 1, k)}))",
    )


def averaged(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        "import copy",
        f"net = nn.Linear({a}, {b})",
        f"ema = copy.{d.wrong('deepcopy', 'copies')}(net)",
        "with torch.no_grad():" if d.wrong(True, False) else "if True:",
        "    for p, q in zip(ema.parameters(), net.parameters()):",
        f"        p.{d.pick('mul_(0.9).add_(q, alpha=0.1)', 'copy_(0.9 * p + 0.1 * q)', 'lerp_(q, 0.1)')}",
        f"print(ema(torch.randn(2, {d.wrong(a, b)})).reshape(2, {b}))",
    )


def early(d: Draw) -> None:
    a = d.size()
    d.line(
        f"net = nn.Linear({a}, 1)",
        "best, wait, kept = float('inf'), 0, None",
        "for epoch in range(5):",
        f"    with torch.no_grad():\n        val = F.l1_loss(net(torch.randn(3, {a})), torch.zeros(3, 1)){d.wrong('.item()', '')}",
        "    if val < best:",
        "        best, wait, kept = val, 0, {k: v.clone() for k, v in net.state_dict().items()}",
        "    else:",
        "        wait += 1",
        "        if wait > 2:",
        "            break",
        f"net.load_state_dict({d.wrong('kept', 'kept.values()')})" if d.often(0.3) else "print(best, wait)",
        f"print(f'{{best:.3f}}', net.weight.reshape({d.wrong(a, a + 1)}))",
    )  # fmt: skip


def frozen(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"net = nn.Sequential(nn.Linear({a}, {b}), nn.ReLU(), nn.Linear({b}, 2))",
        f"for p in net{d.wrong('[0]', '')}.parameters():\n    p.requires_grad{d.pick('_(False)', ' = False')}",
        "opt = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)",
        f"net(torch.randn(3, {a})).sum().backward()",
        "opt.step()",
        f"print(net[{d.wrong(2, 0)}].weight.grad.shape)",
    )


def scaled(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"net = nn.Linear({a}, {b})",
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
        "scaler = torch.amp.GradScaler('cpu', enabled=False)",
        f"with torch.autocast('cpu', dtype=torch.bfloat16{d.pick('', ', enabled=True')}):",
        f"    loss = F.cross_entropy(net(torch.randn(3, {a})), torch.tensor([0, 1, {d.wrong(b - 1, b)}]))",
        f"scaler.scale(loss{d.wrong('', '.item()')}).backward()",
        f"scaler.step({d.wrong('opt', '')})",
        "scaler.update()",
        f"print(net.weight.grad.reshape({d.wrong(b, a + b)}, {a}))",
    )
