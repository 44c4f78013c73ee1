"""Views, strides and contiguity: which views exist, what writes through them, and what a stride says."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch")
    compose(d, (transposed, expanded, written, strided, resized, sliced, permuted, numbers), 3)


def transposed(d: Draw) -> None:
    n, m, k = d.sizes(3)
    d.line(f"x = torch.randn({n}, {m}, {k})", f"y = x.transpose({d.pick('0, 1', '1, 2', '0, 2')})")
    fix = d.wrong(d.pick(".contiguous().view", ".reshape", ".clone(memory_format=torch.contiguous_format).view", ".flatten().view"), ".view")
    d.line(f"z = y{fix}({d.pick('-1', str(n * m * k), f'{n * m}, {k}', f'{n}, {m * k}')})", "print(z.shape)")


def expanded(d: Draw) -> None:
    n, m, _k = d.sizes(3)
    d.line(
        f"x = torch.zeros({n}, 1)",
        f"y = x.expand({n}, {d.wrong(m, m)})",
        d.wrong("y = y.clone()", "pass"),
        d.pick("y.add_(1)", "y[0, 0] = 1.0", "y += 1", "y.zero_()", "y.fill_(2)"),
    )
    d.same("y", [n, m])


def written(d: Draw) -> None:
    n, m, k = d.sizes(3)
    d.line(f"x = torch.zeros({n}, {m})")
    match d.rng.randrange(5):
        case 0:
            d.line(f"x[0] = torch.ones({d.wrong(m, k)})", "print(x.sum())")
        case 1:
            d.line(f"x.view(-1)[{d.wrong(n * m - 1, n * m)}] = 1")
        case 2:
            d.line(
                "sizes = torch.ones(2, dtype=torch.long)",
                f"view = sizes{d.wrong('', '.clone()')}[:1]",
                f"view += {n}",
                f"print(torch.zeros(*sizes.tolist()).reshape({n + 1}))",
            )
        case 3:
            d.line(f"x[:, 1:].copy_(torch.ones({d.wrong(n, n + 1)}, {d.wrong(m - 1, m)}))" if m > 2 else f"x.copy_(torch.ones({d.wrong(m, m + 1)}))")
        case _:
            d.line(f"x.T[{d.wrong(m - 1, m)}] = 3", f"x.{d.wrong('add_', 'adds_')}(torch.ones({d.wrong(m, m + 1)}))")


def strided(d: Draw) -> None:
    n, m, _k = d.sizes(3)
    d.line(
        f"x = torch.arange({n * m}.0).view({n}, {m})",
        f"y = torch.as_strided(x, ({n}, {d.wrong(m, m + 1)}), ({m}, 1))" if d.often() else f"y = x.as_strided(({m}, {n}), (1, {d.wrong(m, m + 1)}))",
    )
    d.line("print(y.stride())", f"a, b = {d.wrong('y', 'y[None]', 'y[0]')}.stride()", "print(torch.zeros(b).shape)" if d.often() else "print(a + b)")


def resized(d: Draw) -> None:
    n, m, _k = d.sizes(3)
    d.line(
        f"x = torch.zeros({n}, {m})",
        f"y = x{d.pick('', '[:]', '.t().t()')}.view({m}, {d.wrong(n, n + 1)})",
        f"print(x.view_as(y).shape, x.unflatten(1, ({d.wrong(f'1, {m}', f'2, {m}')})).shape, x.unfold(1, {d.wrong(2, m + 1)}, 1).shape)",
    )


def sliced(d: Draw) -> None:
    n, m, _k = 2 * d.size(2, 4), d.size(2, 5), d.size(2, 5)
    part, shape, whole = d.pick(
        ("x[::2]", (n // 2, m), False), ("x[:, 1:]", (n, m - 1), False), ("x[1:]", (n - 1, m), True), ("x[:, 0]", (n,), m == 1), ("x[0]", (m,), True)
    )
    count = 1
    for s in shape:
        count *= s
    method = d.pick("reshape", "contiguous().view", "view") if whole else d.wrong(d.pick("reshape", "contiguous().view"), "view")
    d.line(f"x = torch.zeros({n}, {m})", f"y = {part}", f"print(y.{method}({d.wrong(count, count + 1)}).shape)")


def permuted(d: Draw) -> None:
    b, c, h, w = d.sizes(4)
    d.line(
        f"x = torch.randn({b}, {c}, {h}, {w})",
        f"y = x.permute(0, 2, 3, 1){d.wrong('.contiguous()', '')}",
        f"print(y.view({b}, {d.wrong(h * w, h * c)}, {c}).shape)",
        "z = x.to(memory_format=torch.channels_last)",
        f"print(z.{d.wrong('reshape', 'view')}({b}, -1).shape)",
    )


def numbers(d: Draw) -> None:
    n, m, _k = d.sizes(3)
    d.line(
        f"x = torch.zeros({n}, {m})",
        f"print(torch.zeros(x.stride(0)).reshape({d.wrong(m, m + 1)}), x.t().is_contiguous(), x[:, 0].stride({d.wrong(0, 1)}), x.storage_offset(), x.data_ptr() == x.view(-1).data_ptr())",
        f"assert {d.wrong('not ', '')}x.t().is_contiguous()",
    )
