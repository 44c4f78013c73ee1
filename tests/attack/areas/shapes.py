"""Shapes: reshapes, broadcasts, reductions, products, einsum and einops, followed by what asks for the shape that they give."""

from __future__ import annotations

from math import prod

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch")
    compose(d, (chain, chain, product, einsum, broadcast, split_and_join, indexing, padded))


def chain(d: Draw) -> None:
    """A tensor through a few operators, whose shape is kept beside."""
    sizes = d.sizes(d.size(2, 4))
    d.line(f"x = torch.{d.pick('randn', 'zeros', 'ones', 'rand')}({', '.join(map(str, sizes))})")
    for _ in range(d.size(2, 5)):
        sizes = d.pick(*STEPS)(d, sizes)
    d.same("x", sizes)


def _transpose(d: Draw, s: list[int]) -> list[int]:
    if len(s) < 2:
        return s
    a, b = d.rng.sample(range(len(s)), 2)
    d.line(f"x = x.{d.pick('transpose', 'swapaxes')}({a - d.pick(0, len(s))}, {d.wrong(b, b + len(s))})")
    s = list(s)
    s[a], s[b] = s[b], s[a]
    return s


def _permute(d: Draw, s: list[int]) -> list[int]:
    order = list(range(len(s)))
    d.rng.shuffle(order)
    shown = d.wrong(order, [order[0], *order[:-1]] if len(order) > 1 else [0, 1], [*order, 0])
    d.line(d.pick(f"x = x.permute({', '.join(map(str, shown))})", f"x = torch.permute(x, {tuple(shown)})"))
    return [s[i] for i in order]


def _unsqueeze(d: Draw, s: list[int]) -> list[int]:
    if len(s) > 4:
        return s
    at = d.rng.randint(0, len(s))
    d.line(d.pick(f"x = x.unsqueeze({d.wrong(at, len(s) + 1 + at)})", f"x = torch.unsqueeze(x, dim={at - len(s) - 1})"))
    return [*s[:at], 1, *s[at:]]


def _squeeze(d: Draw, s: list[int]) -> list[int]:
    if d.often() and len(s):
        at = d.rng.randrange(len(s))
        d.line(f"x = x.squeeze({at})")
        return [n for i, n in enumerate(s) if i != at or n != 1]
    d.line("x = x.squeeze()")
    return [n for n in s if n != 1]


def _flatten(d: Draw, s: list[int]) -> list[int]:
    if len(s) < 2:
        return s
    first = d.rng.randrange(len(s) - 1)
    last = d.rng.randrange(first + 1, len(s))
    d.line(f"x = {d.pick('x.flatten', 'torch.Tensor.flatten')}({{}}{first}, {last})".replace("{}", "") if d.often(0.9) and True else "x = x.flatten()")
    if "torch.Tensor" in d.lines[-1]:
        d.lines[-1] = d.lines[-1].replace("(", "(x, ", 1)
    if d.lines[-1].strip() == "x = x.flatten()":
        return [prod(s)]
    return [*s[:first], prod(s[first : last + 1]), *s[last + 1 :]]


def _view(d: Draw, s: list[int]) -> list[int]:
    whole = prod(s)
    parts = [n for n in range(2, whole) if whole % n == 0] or [1]
    part = d.rng.choice(parts)
    method = d.pick("reshape", "reshape", "contiguous().view")
    shown = d.wrong(f"{part}, -1", f"{part + 1 if whole % (part + 1) else whole + 1}, -1", "-1, -1")
    d.line(f"x = x.{method}({shown})")
    return [part, whole // part]


def _reduce(d: Draw, s: list[int]) -> list[int]:
    if len(s) < 2:
        return s
    at = d.rng.randrange(len(s))
    kept = d.often()
    shown = d.wrong(at - d.pick(0, len(s)), len(s))
    name = d.pick("sum", "mean", "amax", "std", "norm", "logsumexp", "prod")
    d.line(f"x = x.{name}(dim={shown}{', keepdim=True' if kept else ''})")
    return [*s[:at], *([1] if kept else []), *s[at + 1 :]]


def _maximum(d: Draw, s: list[int]) -> list[int]:
    if len(s) < 2:
        return s
    at = d.rng.randrange(len(s))
    name = d.pick("max", "min", "sort", "median")
    d.line(f"x = x.{name}(dim={at}){d.wrong(d.pick('[0]', '.values'), '')}")
    return list(s) if name == "sort" else [*s[:at], *s[at + 1 :]]


def _slice(d: Draw, s: list[int]) -> list[int]:
    if not s or s[0] < 2:
        return s
    if d.often(0.3):
        d.line(f"x = x[{d.wrong(d.rng.randrange(s[0]), s[0])}]")
        return list(s[1:])
    a = d.rng.randrange(s[0] - 1)
    step = d.pick(1, 1, 2)
    d.line(f"x = x[{a}:{s[0]}{':2' if step == 2 else ''}]")
    return [len(range(a, s[0], step)), *s[1:]]


def _expand(d: Draw, s: list[int]) -> list[int]:
    if len(s) > 4:
        return s
    n = d.size(2, 4)
    shown = ", ".join(map(str, [n, *d.wrong(s, [m + 1 for m in s])])) if s else str(n)
    d.line(f"x = x.expand({shown})")
    return [n, *s]


def _repeat(d: Draw, s: list[int]) -> list[int]:
    if not s:
        return s
    times = [d.pick(1, 1, 2) for _ in s]
    shown = d.wrong(times, times[:-1]) if len(s) > 1 else times
    d.line(f"x = x.repeat({', '.join(map(str, shown))})")
    return [n * k for n, k in zip(s, times)]


def _gather(d: Draw, s: list[int]) -> list[int]:
    if not s:
        return s
    at = d.rng.randrange(len(s))
    chosen = [d.rng.randrange(s[at]) for _ in range(d.size(1, 3))]
    shown = d.wrong(chosen, [*chosen[:-1], s[at]])
    kind = d.wrong("", ".float()")
    d.line(f"x = x.index_select({at}, torch.tensor({shown}){kind})")
    return [*s[:at], len(chosen), *s[at + 1 :]]


STEPS = (_transpose, _permute, _unsqueeze, _squeeze, _flatten, _view, _reduce, _maximum, _slice, _expand, _repeat, _gather)


def product(d: Draw) -> None:
    b, n, k, m = d.sizes(4)
    match d.rng.randrange(5):
        case 0:
            d.line(
                f"a = torch.randn({n}, {k})", f"b = torch.randn({d.wrong(f'{k}, {m}', f'{m}, {k}')})", f"c = {d.pick('a @ b', 'torch.mm(a, b)', 'a.matmul(b)')}"
            )
            d.same("c", [n, m])
        case 1:
            d.line(f"a = torch.randn({b}, {n}, {k})", f"b = torch.randn({d.wrong(b, b + 1)}, {k}, {m})", f"c = {d.pick('a @ b', 'torch.bmm(a, b)')}")
            d.same("c", [b, n, m])
        case 2:
            d.line(f"a = torch.randn({b}, {n}, {k})", f"b = torch.randn({d.wrong(k, k + 1)})", "c = a @ b")
            d.same("c", [b, n])
        case 3:
            d.line(f"q = torch.randn({b}, {n}, {k})", f"w = q @ q{d.wrong('.transpose(1, 2)', '', '.transpose(0, 1)', '.T')}", "w = w.softmax(-1)")
            d.same("w @ q", [b, n, k])
        case _:
            d.line(f"a = torch.randn({n}, {k})", f"c = torch.outer(a[0], a{d.wrong('[:, 0]', '')})")
            d.same("c", [k, n])


def einsum(d: Draw) -> None:
    b, i, j, k = d.sizes(4)
    forms = (
        ("bij,bjk->bik", [b, i, j], [b, j, k], [b, i, k]), ("ij,jk->ik", [i, j], [j, k], [i, k]), ("bi,bj->bij", [b, i], [b, j], [b, i, j]),
        ("bij,bj->bi", [b, i, j], [b, j], [b, i]), ("...ij,kj->...ik", [b, i, j], [k, j], [b, i, k]), ("bhid,bhjd->bhij", [b, 2, i, k], [b, 2, j, k], [b, 2, i, j]),
    )  # fmt: skip
    form, first, second, result = d.pick(*forms)
    other = form.replace("->", ",->") if d.wrongs.random() < 0.3 else form.partition("->")[0] + "->" + form.partition("->")[2] + "z"
    d.line(f"a, b = torch.randn({d.shape(first)}), torch.randn({', '.join(map(str, second))})", f'c = torch.einsum("{d.wrong(form, other)}", a, b)')
    d.same("c", result)


def broadcast(d: Draw) -> None:
    b, n, m, k = d.sizes(4)
    op = d.pick("+", "*", "-", "/")
    match d.rng.randrange(4):
        case 0:
            d.line(f"x = torch.randn({b}, {n}, {m})", f"y = x {op} torch.randn({d.wrong(m, k)})")
            d.same("y", [b, n, m])
        case 1:
            d.line(f"x = torch.randn({b}, {n})", f"y = x {op} x.sum({d.wrong('1, keepdim=True', '1', '0, keepdim=True).sum(1')})")
            d.same("y", [b, n])
        case 2:
            d.line(f"x = torch.randn({n}, 1) {op} torch.randn({d.wrong(f'1, {m}', f'{m}, 1')})")
            d.same("x", [n, m])
        case _:
            d.line(f"a, b = torch.broadcast_tensors(torch.zeros({b}, 1, {m}), torch.zeros({d.wrong(n, n)}, {d.wrong(m, k)}))")
            d.same("a * b", [b, n, m])


def split_and_join(d: Draw) -> None:
    b, n, m, k = d.sizes(4)
    match d.rng.randrange(5):
        case 0:
            d.line(f"x = torch.randn({b}, {3 * n})", f"q, k, v = x.chunk({d.wrong(3, 2, 4)}, dim={d.wrong(-1, 2)})")
            d.same("torch.cat([q, v], 1)", [b, 2 * n])
        case 1:
            d.line(f"x = torch.randn({b}, {n + m})", f"p, r = x.split([{n}, {d.wrong(m, m + 1)}], dim=1)")
            d.same("p", [b, n])
        case 2:
            d.line(f"parts = [torch.randn({n}, {m}) for _ in range({k})]", f"x = torch.stack(parts, dim={d.wrong(1, 3)})")
            d.same("x", [n, k, m])
        case 3:
            d.line(f"x = torch.cat([torch.zeros({n}, {m}), torch.ones({d.wrong(k, k)}, {d.wrong(m, m + 1)})])")
            d.same("x", [n + k, m])
        case _:
            d.line(f"for row, target in zip(torch.randn({b}, {n}), torch.randn({b}, {d.wrong(n, m)})):")
            d.line("    print((row - target).shape)")


def indexing(d: Draw) -> None:
    b, n, m, k = d.sizes(4)
    d.line(f"x = torch.randn({b}, {n}, {m})")
    match d.rng.randrange(6):
        case 0:
            d.line("y = x[:, -1]")
            d.same("y", [b, m])
        case 1:
            d.line(f"mask = torch.ones({b}, {d.wrong(n, n + 1)}, dtype=torch.bool)", "y = x[mask]")
            d.same("y", [b * n, m])
        case 2:
            d.line(f"i = torch.tensor([0, {d.wrong(b - 1, b)}])", "y = x[i]")
            d.same("y", [2, n, m])
        case 3:
            d.line(f"y = x[..., {d.wrong(m - 1, m)}]")
            d.same("y", [b, n])
        case 4:
            d.line(f"i = torch.zeros({b}, 1, {m}, dtype=torch.{d.wrong('int64', 'int32', 'float32')})", f"y = x.gather({d.wrong(1, 3)}, i)")
            d.same("y", [b, 1, m])
        case _:
            d.line(f"x[:, 0] = torch.zeros({d.wrong(m, k)})", "x[0, 0, 0] = 1.0")
            d.same("x[:, None]", [b, 1, n, m])


def padded(d: Draw) -> None:
    b, n, m, k = d.sizes(4)
    d.line("import torch.nn.functional as F", f"x = torch.randn({b}, {n}, {m})")
    match d.rng.randrange(4):
        case 0:
            d.line(f"y = F.pad(x, ({d.wrong('1, 2', '1, 2, 3')}))")
            d.same("y", [b, n, m + 3])
        case 1:
            d.line(f'y = F.interpolate(x, size={k}, mode="{d.wrong("linear", "bilinear")}")')
            d.same("y", [b, n, k])
        case 2:
            d.line(f"y = F.one_hot(torch.arange({n}), {d.wrong(n + 2, n - 1)})")
            d.same("y", [n, n + 2])
        case _:
            d.line(f"y = F.unfold(x[:, None], kernel_size={d.wrong(2, max(n, m) + 1)})")
            d.same("y", [b, 4, (n - 1) * (m - 1)])
