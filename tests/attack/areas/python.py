"""Python's own semantics with tensors: closures, unpacking, containers, comprehensions, strings, numbers, aliases."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch")
    compose(d, (closures, unpacking, containers, comprehensions, strings, sorting, arguments, aliases, numbers, slices), 3)


def closures(d: Draw) -> None:
    a, b, c = d.sizes(3)
    match d.rng.randrange(3):
        case 0:
            d.line("def make(n):", "    def inner(x):", f"        return x @ torch.zeros(n, {b})", "    return inner", f"f = make({d.wrong(a, c)})")
            d.same(f"f(torch.zeros({c - c + 3}, {a}))", [3, b])
        case 1:
            d.line(f"fs = [lambda x, k=k: x.reshape(k, -1) for k in ({d.wrong(2, 5)}, 3)]", "print(fs[0](torch.zeros(6)).shape, fs[1](torch.zeros(6)).shape)")
        case _:
            d.line("count = 0", "def grow():", f"    {d.wrong('global count', 'pass')}", "    count += 1", "    return count") if d.depth == 0 else d.line(
                "count = 0", "def grow():", f"    {d.wrong('return 1', 'return missing_name')}"
            )
            d.line("grow()", f"print(torch.zeros(grow(), {a}).shape)")


def unpacking(d: Draw) -> None:
    a, b, c = d.sizes(3)
    match d.rng.randrange(5):
        case 0:
            d.line(f"{d.wrong('n, c, h', 'n, c', 'n, c, h, w')} = torch.zeros({a}, {b}, {c}).shape", f"print(torch.zeros(n * c).view(n, {d.wrong(b, b + 1)}))")
        case 1:
            d.line(f"first, *rest = torch.zeros({a}, {b})", f"print(torch.stack(rest).reshape({d.wrong(a - 1, a)}, {b}))")
        case 2:
            d.line(
                f"pair = (torch.zeros({a}), torch.zeros({b}))",
                f"x, y = pair{d.wrong('', '[:1]', ' + (1,)')}",
                f"print(torch.cat([x, y]).reshape({d.wrong(a + b, a * b + a + b + 1)}))",
            )
        case 3:
            d.line(f"x, y = torch.zeros({d.wrong(2, 3)}, {a}).unbind({d.wrong(0, 2)})", "print(x + y)")
        case _:
            d.line(
                "def f(*sizes, scale=1):",
                "    return torch.ones(*sizes) * scale",
                f"print(f({a}, {b}, {d.wrong('scale', 'scales')}=2).reshape({d.wrong(b, c)}, {a if True else b}))" if b != c else "",
            )


def containers(d: Draw) -> None:
    a, b, c = d.sizes(3)
    match d.rng.randrange(7):
        case 0:
            d.line(
                f'd = {{"a": torch.zeros({a}), "b": torch.zeros({b})}}',
                f"d.update(c=torch.zeros({c}))",
                f'print(d["{d.wrong("c", "d")}"].reshape({c}), d.get("x"{d.wrong(", 1", "")}) + 1)',
            )
        case 1:
            d.line(f"items = [torch.zeros({a})] * {b}", f"items.append(torch.zeros({d.wrong(a, c)}))", "x = torch.stack(items)")
            d.same("x", [b + 1, a])
        case 2:
            d.line(
                "from collections import defaultdict, OrderedDict, deque, Counter",
                f"q = deque(maxlen={a})",
                f"for i in range({a + 3}):",
                "    q.append(torch.full((2,), float(i)))",
                f"print(torch.stack({d.wrong('list(q)', 'q[0]', 'None')}).reshape({d.wrong(a, a + 3)}, 2))",
            )
        case 3:
            d.line(
                "from collections import defaultdict",
                f"g = defaultdict({d.wrong('list', 'None', 'int')})",
                f"for i in range({b}):",
                f"    g[i % 2].append(torch.zeros({a}))",
                f"print(torch.stack(g[0]).reshape({d.wrong((b + 1) // 2, b)}, {a}))",
            )
        case 4:
            d.line(f"s = {{{a}, {b}, {a}}}", f"print(torch.zeros(len(s), {c}).reshape({d.wrong(2, 3)}, {c}))")
        case 5:
            d.line(
                f"stack = [{a}, {b}, {c}]",
                f"n = stack.pop({d.pick('', '0', '-1')})",
                f"stack.{d.wrong('remove', 'index')}({b})" if d.often(0.3) and False else "m = stack[-1]",
                f"print(torch.zeros(n, m).shape, stack[{d.wrong(1, 2)}])",
            )
        case _:
            d.line(
                f"keys = sorted({{'b': 1, 'a': 2}}{d.wrong('', '[0]')})",
                f"print(torch.zeros(len(keys)).reshape({d.wrong(2, 3)}), keys[{d.wrong(0, 2)}].upper())",
            )


def comprehensions(d: Draw) -> None:
    a, b, c = d.sizes(3)
    match d.rng.randrange(4):
        case 0:
            d.line(f"x = torch.cat([torch.zeros(n, {a}) for n in range(1, {b}) if n % 2])")
            d.same("x", [sum(n for n in range(1, b) if n % 2), a])
        case 1:
            d.line(
                f"sizes = {{k: v for k, v in zip('abc', ({a}, {b}, {c}))}}",
                f"print(torch.zeros(sizes['a'], sizes['{d.wrong('b', 'd')}']).reshape({b}, {d.wrong(a, a * b * c + 1)}))",
            )
        case 2:
            d.line(
                f"layers = [torch.nn.Linear(i, o) for i, o in zip([{a}, {b}], [{d.wrong(b, c)}, {c}])]",
                f"x = torch.zeros(2, {a})",
                "for layer in layers:",
                "    x = layer(x)",
            )
            d.same("x", [2, c])
        case _:
            d.line(f"total = sum(t.sum() for t in (torch.ones({a}), torch.ones({b})))", f"print(torch.zeros(int(total)).reshape({d.wrong(a + b, a)}))")


def strings(d: Draw) -> None:
    a, b = d.sizes(2)
    match d.rng.randrange(4):
        case 0:
            d.line(f'a, b = map(int, "{a},{b}".split("{d.wrong(",", ";")}"))', f"print(torch.zeros(a, b).reshape({d.wrong(b, b * a + 1)}, {a}))")
        case 1:
            d.line(f'name = f"layer{{{a}}}"', f'print({{"layer{d.wrong(a, b)}": torch.zeros(2)}}[name].shape)')
        case 2:
            d.line(f'print("%s %d" % ({d.wrong("torch.zeros(2), 3", "torch.zeros(2),", "3, torch.zeros(2)")}))')
        case _:
            d.line(
                f'print("loss {{:.3f}} at {{}}".format({d.wrong("torch.tensor(1.0).item(), 2", "torch.zeros(2), 2", "1.0")}))',
                f'print(f"{{torch.zeros({d.wrong("()", "3")}):.2f}}")',
            )


def sorting(d: Draw) -> None:
    a, b = d.sizes(2)
    match d.rng.randrange(4):
        case 0:
            d.line(
                f"xs = [torch.zeros({b}), torch.zeros({a})]",
                f"xs.sort(key={d.wrong('len', 'None')})",
                f"print(torch.cat(xs).reshape({d.wrong(a + b, a * b + a + b)}), xs[0].reshape({d.wrong(min(a, b), max(a, b))}))",
            )
        case 1:
            d.line(
                f"best = max([({a}, 'x'), ({b}, 'y')]{d.pick('', ', key=lambda t: t[0]')})",
                f"print(torch.zeros(best[0]).reshape({d.wrong(max(a, b), min(a, b))}))",
            )
        case 2:
            d.line(f"n = {d.wrong('max', 'sum')}(t.shape[0] for t in [torch.zeros({a}), torch.zeros({b})])", f"print(torch.zeros(n).reshape({max(a, b)}))")
        case _:
            d.line(
                "xs = [torch.tensor(2.0), torch.tensor(1.0)]", f"print(min(xs), sorted(xs)[0], {d.wrong('xs[0] in xs', 'torch.zeros(2) in [torch.ones(2)]')})"
            )


def arguments(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"def make(rows, cols{d.pick('', '=3')}, **extra):",
        "    return torch.zeros(rows, cols, **extra)",
        f"cfg = {{'rows': {a}, 'cols': {b}}}",
        f"x = make({d.wrong('**cfg', '*cfg', '1, **cfg')}{d.pick('', ', dtype=torch.float64')}{d.wrong('', ', missing=1')})",
    )
    d.same("x", [a, b])


def aliases(d: Draw) -> None:
    a, b = d.sizes(2)
    match d.rng.randrange(3):
        case 0:
            d.line(f"x = [1, {a}]", f"y = x{d.wrong('[:]', '')}", f"y.append({b})", f"print(torch.zeros(*x).reshape({a}))")
        case 1:
            d.line(f"n = torch.tensor({a})", f"m = n{d.wrong('.clone()', '')}", "m += 1", f"print(torch.zeros(n).reshape({a}))")
        case _:
            d.line(
                f"rows = [[0] * {a} for _ in range({b})]",
                "rows[0].append(1)" if d.often(0.0) else "rows[0][0] = 1",
                f"x = torch.tensor(rows{d.wrong('', ' + [[1]]')})",
            )
            d.same("x", [b, a])


def numbers(d: Draw) -> None:
    a, _b = d.sizes(2)
    match d.rng.randrange(5):
        case 0:
            d.line(f"print(torch.zeros({2 * a} {d.wrong('//', '/')} 2).reshape({a}))")
        case 1:
            d.line("import math", f"print(torch.zeros(math.{d.wrong('ceil', 'floor')}({a} / 2)).reshape({-(-a // 2) if a % 2 else a // 2}))")
        case 2:
            d.line(f"n = int({a}.9){d.wrong('', ' + 1')}", f"print(torch.zeros(n).reshape({a}))")
        case 3:
            d.line(f"q, r = divmod({7 * a + 3}, 7)", f"print(torch.zeros(q, r).reshape({d.wrong(3, 100)}, {a}))")
        case _:
            d.line(f"x = torch.zeros({a})", f"print(x.{d.wrong('sum()', 'clone()')}.item(), len(x), {d.wrong('int', 'list')}(x[0]))")


def slices(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"xs = list(range({a + b}))",
        f"n = len(xs[{d.wrong(a, a + 1)}:])",
        f"print(torch.zeros(n).reshape({b}), xs[{d.wrong(-1, a + b)}], xs[::-1][0] - {a + b - 1})",
    )
