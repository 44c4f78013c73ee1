"""Stacks of convolutions, pools, recurrent and attention layers, with what comes between and after them."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch", "from torch import nn", "import torch.nn.functional as F")
    compose(
        d,
        (
            convolutions,
            flattened,
            recurrent,
            lstm,
            attention,
            transposed,
            norms,
            encoder,
            residual,
            packed,
            depthwise,
            one_dimensional,
            cells,
            upsampled,
            embedding_bag,
        ),
        2,
    )


def convolutions(d: Draw) -> None:
    c, e, n, k = d.size(1, 4), d.size(5, 8), d.size(9, 16), d.pick(1, 3, 5)
    s, p = d.pick(1, 2), d.pick(0, 1)
    m = (n + 2 * p - k) // s + 1
    d.line(f"conv = nn.Conv2d({c}, {e}, {d.wrong(k, n + 2 * p + 1)}, stride={s}, padding={p})", f"y = conv(torch.randn(2, {d.wrong(c, c + 1)}, {n}, {n}))")
    d.same("y", [2, e, m, m])


def flattened(d: Draw) -> None:
    c, e, n = d.size(1, 3), d.size(4, 6), 4 * d.size(3, 6)
    m = (n - 2) // 2
    inner = d.wrong(e * m * m, e * m, e * n * n, e * (m + 1) ** 2)
    d.line(
        f"net = nn.Sequential(nn.Conv2d({c}, {e}, 3), nn.ReLU(), nn.MaxPool2d(2){d.wrong(', nn.Flatten()', '')}, nn.Linear({inner}, 10))",
        f"y = net(torch.randn(3, {c}, {n}, {d.wrong(n, n + 2)}))",
    )
    d.same("y", [3, 10])


def recurrent(d: Draw) -> None:
    i, h, b, t = d.sizes(4)
    first, two = d.pick(True, False), d.pick(True, False)
    d.line(
        f"rnn = nn.{d.pick('GRU', 'RNN')}({d.wrong(i, h)}, {h}, num_layers=2, batch_first={first}, bidirectional={two})",
        f"out, hn = rnn(torch.randn({f'{b}, {t}' if first else f'{t}, {b}'}, {i}){d.wrong('', f', torch.zeros(2, {b + 1}, {h})')})",
    )
    k = 2 if two else 1
    d.same("out", [b, t, h * k] if first else [t, b, h * k])
    d.same("hn", [2 * k, b, h])


def lstm(d: Draw) -> None:
    i, h, b, t = d.sizes(4)
    d.line(
        f"rnn = nn.LSTM({i}, {h}, batch_first=True)",
        f"fc = nn.Linear({d.wrong(h, i)}, 3)",
        f"x = torch.randn({b}, {t}, {i})",
        f"out, {d.wrong('(hn, cn)', '(hn, cn, an)', '(hn,)')} = rnn(x)",
        f"print(fc(out[:, -1]).reshape({d.wrong(b, t)}, 3), fc(hn[-1]).shape)",
    )
    if d.often():
        d.line(
            f"state = (torch.zeros(1, {b}, {h}), torch.zeros(1, {d.wrong(b, b + 1)}, {h}))",
            f"out, state = rnn(x, {d.wrong('state', 'state[0]')})",
            "out, state = rnn(x, state)",
        )


def attention(d: Draw) -> None:
    heads, b, t = d.sizes(3, 2, 5)
    e = heads * d.size(2, 4)
    d.line(
        f"mha = nn.MultiheadAttention({d.wrong(e, e + 1)}, {heads}, batch_first={d.pick(True)})",
        f"x = torch.randn({b}, {t}, {e})",
        f"y, w = mha(x, x{d.wrong(', x', '')}{d.pick('', f', attn_mask=torch.zeros({t}, {t})', f', key_padding_mask=torch.zeros({b}, {t}, dtype=torch.bool)')})",
    )
    d.same("y", [b, t, e])
    d.same("w", [b, t, t])
    if d.often():
        d.line(
            f"q = x.view({b}, {t}, {heads}, {d.wrong(e // heads, e)}).transpose(1, 2)",
            f"a = F.scaled_dot_product_attention(q, q, q{d.pick('', ', is_causal=True')})",
            f"print(a.transpose(1, 2).{d.wrong('reshape', 'view')}({b}, {t}, {e}).shape)",
        )


def transposed(d: Draw) -> None:
    c, e, n = d.sizes(3)
    d.line(f"up = nn.ConvTranspose2d({c}, {e}, {d.wrong(4, 4)}, stride=2, padding={d.wrong(1, 1)})", f"y = up(torch.randn(2, {d.wrong(c, e)}, {n}, {n}))")
    d.same("y", [2, e, 2 * n, 2 * n])


def norms(d: Draw) -> None:
    b, c, n = d.sizes(3)
    kind = d.pick("BatchNorm2d", "GroupNorm", "LayerNorm", "InstanceNorm2d", "BatchNorm1d")
    x = f"torch.randn({b}, {2 * c}, {n}, {n})"
    match kind:
        case "GroupNorm":
            d.line(f"norm = nn.GroupNorm({d.wrong(2, 2 * c + 1)}, {d.wrong(2 * c, c)})")
        case "LayerNorm":
            d.line(
                f"norm = nn.LayerNorm({d.wrong(n, c)}{d.pick('', ', eps=1e-6')})" if d.often() else f"norm = nn.LayerNorm([{2 * c}, {n}, {d.wrong(n, n + 1)}])"
            )
        case "BatchNorm1d":
            d.line(f"norm = nn.{d.wrong('BatchNorm1d', 'BatchNorm2d')}({2 * c})")
            x = f"torch.randn({b}, {2 * c})"
        case _:
            d.line(f"norm = nn.{kind}({d.wrong(2 * c, c)}{', affine=True' if kind.startswith('I') else ''})")
    d.line(f"print(norm({x}).shape)")


def encoder(d: Draw) -> None:
    heads, b, t = d.sizes(3, 2, 5)
    e = heads * 4
    d.line(
        f"layer = nn.TransformerEncoderLayer(d_model={e}, nhead={d.wrong(heads, e - 1)}, dim_feedforward=16, batch_first=True)",
        "enc = nn.TransformerEncoder(layer, num_layers=2)",
        f"y = enc(torch.randn({b}, {t}, {d.wrong(e, e + 1)}){d.pick('', f', mask=nn.Transformer.generate_square_subsequent_mask({d.wrong(t, t + 1)})')})",
    )
    d.same("y.mean(1)", [b, e])


def residual(d: Draw) -> None:
    c, e, n = d.sizes(3)
    n += 4
    with d.block("class Block(nn.Module):"):
        with d.block("def __init__(self, c, e, stride=1):"):
            d.line(
                "super().__init__()",
                f"self.conv1 = nn.Conv2d(c, e, 3, stride, {d.wrong(1, 0)}, bias=False)",
                f"self.bn1 = nn.BatchNorm2d({d.wrong('e', 'c')})",
                f"self.conv2 = nn.Conv2d({d.wrong('e', 'c')}, e, 3, padding=1)",
                f"self.short = nn.Conv2d(c, e, 1, {d.wrong('stride', '3')}) if c != e or stride != 1 else nn.Identity()",
            )
        with d.block("def forward(self, x):"):
            d.line("y = F.relu(self.bn1(self.conv1(x)))", f"return F.relu(self.conv2(y) + {d.wrong('self.short(x)', 'x')})")
    d.line(
        f"net = nn.Sequential(Block({c}, {e}, {d.pick(1, 2)}), Block({d.wrong(e, c)}, {e}), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear({e}, 10))",
        f"print(net(torch.randn(2, {c}, {n}, {n})).shape)",
    )


def packed(d: Draw) -> None:
    b, i, h = d.sizes(3)
    d.line(
        "from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence",
        f"seqs = [torch.randn(n, {d.wrong(i, 'n')}) for n in range({b}, 0, -1)]",
        "x = pad_sequence(seqs, batch_first=True)",
        f"lengths = torch.tensor([{d.wrong('len(s)', 'len(s) - 1')} for s in seqs])",
        f"p = pack_padded_sequence(x, lengths, batch_first=True{d.pick('', ', enforce_sorted=False')})",
        f"out, h = nn.GRU({i}, {h}, batch_first=True)(p)",
        "y, n = pad_packed_sequence(out, batch_first=True)",
    )
    d.same("y", [b, b, h])


def depthwise(d: Draw) -> None:
    c, k, n = d.size(2, 5), d.size(2, 3), d.size(5, 9)
    d.line(
        f"dw = nn.Conv2d({c}, {c * k}, 3, padding={d.pick(repr('same'), 1)}, groups={d.wrong(c, c + 1)})",
        f"pw = nn.Conv2d({d.wrong(c * k, c)}, 8, 1)",
        f"y = pw(dw(torch.randn(1, {c}, {n}, {n})))",
    )
    d.same("y", [1, 8, n, n])


def one_dimensional(d: Draw) -> None:
    b, c, t, e = d.sizes(4)
    t += 4
    dil = d.pick(1, 2)
    d.line(
        f"conv = nn.Conv1d({c}, {e}, 3, dilation={dil}, padding={dil})",
        f"x = torch.randn({b}, {t}, {c})",
        f"y = conv(x{d.wrong('.transpose(1, 2)', '', '.transpose(0, 1)')})" if c != t else "y = conv(x.transpose(1, 2))",
        f"z = F.max_pool1d(y, {d.wrong(2, t + 3)}).mean(-1)",
    )
    d.same("z", [b, e])


def cells(d: Draw) -> None:
    i, h, b, t = d.sizes(4)
    kind = d.pick("GRUCell", "LSTMCell")
    d.line(
        f"cell = nn.{kind}({i}, {h})",
        f"h = torch.zeros({b}, {d.wrong(h, h + 1)})" + (f", torch.zeros({b}, {h})" if kind == "LSTMCell" else ""),
        f"for x in torch.randn({t}, {b}, {d.wrong(i, i + 1)}):",
        "    h = cell(x, h)",
    )
    d.same("h[0]" if kind == "LSTMCell" else "h", [b, h])


def upsampled(d: Draw) -> None:
    c, n, e = d.sizes(3)
    d.line(
        f"x = torch.randn(1, {c}, {2 * n}, {2 * n})",
        f"low = F.avg_pool2d(x, {d.wrong(2, 4)})",
        f"up = nn.Upsample(scale_factor=2{d.pick('', ', mode=' + repr('bilinear'))})(low)",
        f"y = torch.cat([x, up], dim={d.wrong(1, 4)})",
        f"print(nn.Conv2d({d.wrong(2 * c, c)}, {e}, 1)(y).shape)",
    )


def embedding_bag(d: Draw) -> None:
    v, e, b = d.sizes(3)
    d.line(f"bag = nn.EmbeddingBag({v}, {e})", f"ids = torch.randint(0, {v}, ({2 * b},))", f"y = bag(ids{d.wrong(f', torch.arange(0, {2 * b}, 2)', '')})")
    d.same("y", [b, e])
