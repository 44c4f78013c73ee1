"""Sequences: padding and packing, masks, attention, recurrent cells, positions and tokens."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch", "from torch import nn", "import torch.nn.functional as F")
    compose(d, (padded, packed, attention, heads, causal, encoder, cells, bidirectional, positions, tokens, decoding, scaled), 2)


def padded(d: Draw) -> None:
    a, b, e = d.sizes(3)
    d.line(
        "from torch.nn.utils.rnn import pad_sequence",
        f"rows = [torch.zeros({a}, {e}), torch.zeros({b}, {d.wrong(e, e + 1)}), torch.zeros(1, {e})]",
        f"x = pad_sequence(rows, batch_first={d.pick(True, False)})",
        f"mask = torch.arange({max(a, b)})[None, :] < torch.tensor([len(r) for r in rows])[:, {d.wrong('None', '0')}]",
        f"print(x.numel(), mask.reshape(3, {d.wrong(max(a, b), max(a, b) + 1)}).sum())",
    )


def packed(d: Draw) -> None:
    t, e, h = d.sizes(3)
    d.line(
        "from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence",
        f"x = torch.randn(2, {t}, {e})",
        f"p = pack_padded_sequence(x, {d.wrong(f'[{t}, 1]', f'[1, {t}]', f'[{t}]', f'[{t + 1}, 1]')}, batch_first=True)",
        f"out, {d.wrong('(h, c)', 'h, c')} = nn.LSTM({d.wrong(e, e + 1)}, {h}, batch_first=True)(p)",
        "y, n = pad_packed_sequence(out, batch_first=True)",
        f"print(y.reshape(2, {t}, {d.wrong(h, h + 1)}), n.tolist(), h[-1].shape)",
    )


def attention(d: Draw) -> None:
    t, b, k = d.size(3, 6), d.size(2, 4), d.pick(2, 4)
    e = k * d.size(2, 4)
    first = d.often()
    shape = f"{b}, {t}, {e}" if first else f"{t}, {b}, {e}"
    d.line(
        f"att = nn.MultiheadAttention({d.wrong(e, e + 1)}, {k}, batch_first={first})",
        f"x = torch.randn({shape})",
        f"mask = torch.zeros({d.wrong(b, b + 1)}, {t}, dtype=torch.bool)",
        f"y, w = att(x, x, {d.wrong('x', 'x[:1]')}, key_padding_mask=mask{d.pick('', ', need_weights=True')})",
        f"print(y.reshape({shape}), w.reshape({b}, {t}, {d.wrong(t, t + 1)}))",
    )


def heads(d: Draw) -> None:
    b, t, k = d.sizes(3)
    s = d.size(2, 4)
    d.line(
        f"x = torch.randn({b}, {t}, {k * s})",
        f"q = x.view({b}, {t}, {d.wrong(k, k + 1)}, {s}).transpose(1, {d.wrong(2, 3)})",
        f"scores = q @ q.{d.wrong('transpose(-2, -1)', 'transpose(1, 2)')} / {s} ** 0.5",
        f"y = (scores.softmax(-1) @ q).transpose(1, 2).{d.wrong('reshape', 'view')}({b}, {t}, {k * s})",
        "print(y.shape, (x + y).sum())",
    )  # fmt: skip


def causal(d: Draw) -> None:
    b, t, e = d.sizes(3)
    d.line(
        f"x = torch.randn({b}, {t}, {e})",
        f"mask = torch.{d.pick('tril', 'triu')}(torch.ones({t}, {d.wrong(t, t + 1)}, dtype=torch.bool){d.pick('', ', 0')})",
        f"scores = (x @ x.mT).masked_fill({d.wrong('~mask', 'mask.float()')}, float('-inf'))",
        f"print((scores.softmax(-1) @ x).reshape({b}, {t}, {d.wrong(e, e + 1)}))",
    )


def encoder(d: Draw) -> None:
    t, b, k = d.size(3, 6), d.size(2, 4), d.pick(1, 2)
    e = 2 * k * d.size(2, 3)
    d.line(
        f"layer = nn.TransformerEncoderLayer({e}, {d.wrong(k, 2 * e)}, dim_feedforward=8, batch_first=True)",
        f"net = nn.TransformerEncoder(layer, {d.wrong('2, ', '')}enable_nested_tensor=False)",
        f"x = torch.randn({b}, {t}, {d.wrong(e, e + 2)})",
        f"y = net(x, mask=nn.Transformer.generate_square_subsequent_mask({d.wrong(t, t + 1)}))",
        f"print(y[:, {d.wrong(0, t)}].shape)",
    )
    d.same("y", [b, t, e])


def cells(d: Draw) -> None:
    b, e, h = d.sizes(3)
    kind = d.pick("LSTMCell", "GRUCell", "RNNCell")
    two = kind == "LSTMCell"
    d.line(
        f"cell = nn.{kind}({e}, {h})",
        f"state = {f'(torch.zeros({b}, {h}), torch.zeros({b}, {d.wrong(h, h + 1)}))' if two else f'torch.zeros({b}, {d.wrong(h, h + 1)})'}",
        "outs = []",
        f"for x in torch.randn(3, {b}, {d.wrong(e, e + 1)}):",
        "    state = cell(x, state)",
        f"    outs.append(state{d.wrong('[0]', '') if two else ''})",
        "y = torch.stack(outs)",
    )
    d.same("y", [3, b, h])


def bidirectional(d: Draw) -> None:
    t, b, e = d.sizes(3)
    h, n = d.size(2, 4), d.pick(1, 2)
    d.line(
        f"rnn = nn.GRU({e}, {h}, num_layers={n}, bidirectional=True{d.pick('', ', batch_first=False')})",
        f"y, s = rnn(torch.randn({t}, {b}, {e}), torch.zeros({d.wrong(2 * n, 2 * n + 1)}, {b}, {h}))",
        f"last = torch.cat([s[-1], s[{d.wrong(-2, 2 * n)}]], dim=1)",
        f"print(nn.Linear({d.wrong(2 * h, h)}, 2)(last).reshape({b}, 2), y.reshape({t}, {b}, {d.wrong(2 * h, 2 * h + 1)}))",
    )


def positions(d: Draw) -> None:
    b, t = d.sizes(2)
    e = 2 * d.size(2, 4)
    d.line(
        "import math",
        f"pe = torch.zeros({t}, {e})",
        f"pos = torch.arange({t}){d.wrong('.unsqueeze(1)', '')}.float()",
        f"div = torch.exp(torch.arange(0, {d.wrong(e, e + 2)}, 2).float() * (-math.log(100.0) / {e}))",
        "pe[:, 0::2] = torch.sin(pos * div)",
        f"pe[:, {d.wrong('1::2', '1::3')}] = torch.cos(pos * div)",
        f"print((torch.randn({b}, {d.wrong(t, t + 1)}, {e}) + pe[None]).shape)",
    )


def tokens(d: Draw) -> None:
    v, e = d.sizes(2, 4, 11)
    d.line(
        "words = {w: i for i, w in enumerate(['<pad>', '<unk>', 'a', 'b'])}",
        f"ids = torch.tensor([words.get(w, 1) for w in ['a', 'b', 'c']]{d.wrong('', ', dtype=torch.float32')})",
        f"emb = nn.Embedding({d.wrong('len(words)', 'len(words) - 1')}, {e}, padding_idx={d.wrong(0, 4)})",
        f"h = emb(ids).mean({d.wrong(0, 2)})",
        f"print(h.reshape({d.wrong(e, e + 1)}), words['{d.wrong('a', 'c')}'], nn.Linear({e}, {v})(h).argmax().item() < {v})",
    )  # fmt: skip


def decoding(d: Draw) -> None:
    v, h, k = d.size(4, 8), d.size(2, 5), d.size(2, 4)
    d.line(
        f"emb, rnn, out = nn.Embedding({v}, {h}), nn.GRU({h}, {h}, batch_first=True), nn.Linear({h}, {d.wrong(v, v + 30)})",
        "seq, state = torch.zeros(1, 1, dtype=torch.long), None",
        f"for _ in range({k}):",
        "    y, state = rnn(emb(seq[:, -1:]), state)",
        f"    logits = out(y[:, {d.wrong(-1, 1)}])",
        f"    nxt = {d.pick('logits.argmax(-1, keepdim=True)', 'torch.multinomial(logits.softmax(-1), 1)')}",
        f"    seq = torch.cat([seq, nxt], dim={d.wrong(1, 0)})",
        f"print(seq.reshape({d.wrong(k + 1, k)}))",
    )


def scaled(d: Draw) -> None:
    b, t, s, e = d.sizes(4)
    d.line(
        f"q, k, v = torch.randn({b}, {t}, {e}), torch.randn({b}, {s}, {d.wrong(e, e + 1)}), torch.randn({b}, {d.wrong(s, s + 1)}, {e})",
        f"y = F.scaled_dot_product_attention(q, k, v{d.pick('', f', attn_mask=torch.zeros({t}, {s})')}{d.wrong('', ', scales=1.0')})",
    )
    d.same("y", [b, t, e])
