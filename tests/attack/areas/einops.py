"""einops: patterns of rearrange, reduce and repeat."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch")
    compose(d, (einops, layers))


def einops(d: Draw) -> None:
    b, c, h, w = d.sizes(4)
    d.line("from einops import rearrange, reduce, repeat", f"x = torch.randn({b}, {c}, {2 * h}, {3 * w})")
    match d.rng.randrange(4):
        case 0:
            d.line(f'y = rearrange(x, "{d.wrong("b c h w -> b (h w) c", "b c h -> b (h c)", "b c h w -> b (h w)")}")')
            d.same("y", [b, 6 * h * w, c])
        case 1:
            d.line(f'y = rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p={d.wrong(2, 2 * h + 1)}, q={d.wrong(3, 3 * w + 2)})')
            d.same("y", [b, h * w, 6 * c])
        case 2:
            d.line(f'y = reduce(x, "b c h w -> b c", {d.wrong(repr(d.pick("mean", "max", "sum")), repr("average"))})')
            d.same("y", [b, c])
        case _:
            d.line(f'y = repeat(x[:, 0, 0], "b w -> b w k", {d.wrong("k", "n")}={h})')
            d.same("y", [b, 3 * w, h])


def layers(d: Draw) -> None:
    b, c, _h, w = d.sizes(4)
    pattern = d.wrong("b c (k w) -> b k (c w)", "b c (k w) -> b k (c h)", "b (k w) -> b k w")
    d.line(
        "from einops.layers.torch import Rearrange",
        f"net = torch.nn.Sequential(torch.nn.Linear({2 * w}, {2 * w}), Rearrange({pattern!r}, k={d.wrong(2, 2 * w + 1)}))",
        f"y = net(torch.randn({b}, {c}, {2 * w}))",
    )
    d.same("y", [b, 2, c * w])
