"""Numbers that are read from tensors, where Python wants a number of another kind; tensors whose shape changes in place, under several names."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose

_REAL = ("torch.rand(()).item()", "float(torch.rand(3).mean())", "torch.randn(4).square().mean().item()", "torch.rand(2, 2).tolist()[0][1]")
_WHOLE = ("torch.randint(1, 4, ()).item()", "int(torch.rand(()) * 3) + 1", "(torch.rand(3) > -1).sum().item()", "torch.tensor([3, 1, 2]).tolist()[1]")
_COMPUTED = ("n", "n", "n + 1", "n * 2", "abs(n)", "max(n, 1)", "-(-n)", "sum([n, n])")
INFINITE = "float('inf')"
_ALIASES = (
    "y = x",
    "y = [x, x][1]",
    "y = {'x': x}['x']",
    "y = x.to('cpu')",
    "y = x.float()",
    "y, _ = (x, 1)",
    "y = (lambda t: t)(x)",
    "y = x.requires_grad_(False)",
)


def draw(d: Draw) -> None:
    d.line("import torch")
    compose(d, (sizes, texts, orders, collected, formats, shapes, looked_up, kept), 3)


def _number(d: Draw, whole: bool = True) -> str:
    """A line that makes n, of the other kind where it is wrong; what is computed of it."""
    right, wrong = (_WHOLE, _REAL) if whole else (_REAL, _WHOLE)
    d.line(f"n = {d.wrong(d.pick(*right), d.pick(*wrong))}")
    return d.pick(*_COMPUTED)


def sizes(d: Draw) -> None:
    n, a = _number(d), d.size(9, 12)
    d.line(d.pick(
        f"for i in range({n}):\n    print(i)", f"print([0] * ({n}))", f"print('-' * ({n}), (1, 2) * ({n}))", f"print([1, 2, 3, 4, 5, 6, 7, 8, 9][{n}])",
        f"print('abcdefghi'[:{n}], [3, 2][{n}:])", f"x = torch.zeros({a})[:{n}]\nprint(x.ndim)", f"x = torch.zeros({a}, 2)\nprint(x[{n}].shape)",
        f"print(hex({n}), chr({n}), {n} & 3)", f"print(list(enumerate(['a'], {n})))", f"print(round(1.234, {n}))", f"print(torch.zeros({n}, 2).ndim)",
    ))  # fmt: skip


def texts(d: Draw) -> None:
    d.line(f"n = {d.pick(*_REAL, *_WHOLE)}")
    d.line(d.pick(
        f"print('loss ' + {d.wrong('str(n)', 'n')})", f"print(', '.join([{d.wrong('str(n)', 'n')}]))", f"line = ''\nline += {d.wrong('str(n)', 'n')}\nprint(line)",
        f"print({d.wrong('str(n)', 'n', '[n]')}.split('.')[0])", f"print('%s %s' % ({d.wrong('n, 1', 'n', 'n, 1, 2')}))",
        f"print(len({d.wrong('str(n)', 'n')}))", f"print('a' in {d.wrong('str(n)', 'n')})",
    ))  # fmt: skip


def orders(d: Draw) -> None:
    d.line(f"best = {d.wrong(d.pick('0.0', '10', INFINITE), 'None', repr('none'), '[]')}", f"n = {d.pick(*_REAL, *_WHOLE)}")
    d.line(d.pick(
        "if n < best:\n    best = n", "best = max(best, n)", "print(sorted([n, best]))", "best = n if n > best else best", "print(min([n, best, 1]))",
        "best += n\nprint(best)", "while n > best + 100:\n    n -= 1",
    ))  # fmt: skip


def collected(d: Draw) -> None:
    d.line("found = []", f"for i in range({d.size(2, 4)}):", f"    found.append(torch.randn(3).mean(){d.wrong('', '.item()', '.tolist()')})")
    d.line(d.pick("print(torch.stack(found).mean())", "print(torch.stack(found, 0).shape)", "print(torch.cat([v.view(1) for v in found]))"))
    d.line(f"print({d.wrong('torch.sqrt(torch.tensor(n))', 'torch.sqrt(n)', 'torch.exp(n).item()')})" if d.often(0.3) else "pass")
    if "pass" not in d.lines[-1]:
        d.lines.insert(-1, "    " * d.depth + "n = torch.rand(3).max().item()")


def formats(d: Draw) -> None:
    whole = d.often()
    _number(d, whole)
    if whole:
        d.line(d.pick('print(f"{n:d}", f"{n:04d}")', 'print("%x" % n)', 'print("{:b}".format(n))', 'print(format(n, "c") != "")'))
    d.line('print(f"{n:>8}", f"{n:.2f}", "%5.1f" % n, "%d" % n, "{:.2e}".format(n))')


def shapes(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(f"x = torch.zeros({a}, {b})", d.pick(*_ALIASES))
    one, other = d.rng.sample(["x", "y"], 2)
    change, sizes_ = d.pick(
        ("t_()", [b, a]), ("unsqueeze_(0)", [1, a, b]), ("transpose_(0, 1)", [b, a]), ("swapaxes_(0, 1)", [b, a]), ("resize_(2, 2)", [2, 2]),
        ("unsqueeze_(-1).squeeze_(0)", [a, b, 1]), ("set_(torch.zeros(4))", [4]), ("view(-1)", [a, b]), ("t()", [a, b]), ("zero_().t_()", [b, a]),
    )  # fmt: skip
    if d.often(0.3):
        d.line("kept = x[:]", f"{one}.{change}", f"print((kept + torch.zeros({a}, {d.wrong(b, b + 1)})).shape)")
    elif d.often(0.3):
        with d.block("def change(t):"):
            d.line(f"t.{change}")
        d.line(f"change({one})")
    else:
        d.line(f"{one}.{change}")
    d.same(other, sizes_)


def looked_up(d: Draw) -> None:
    d.line(f"n = {d.pick(*_WHOLE)}", f"table = {{i: str(i) for i in range({d.size(10, 12)})}}")
    d.line(f"print(table[n]{d.wrong('', ' + 1', '.item()')}, n {d.wrong('in', 'not in', '@')} table)")


def kept(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(f"x = torch.zeros({a}, {b})", f"double = x.{d.pick('double()', 'clone()', 'to(torch.float64)', 'new_zeros(x.shape)')}", "x.t_()")
    d.same("double", [a, b])
