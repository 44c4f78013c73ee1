"""Losses: shapes, element types and ranges of targets and indices."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch", "from torch import nn", "import torch.nn.functional as F")
    compose(d, (cross_entropy, classes, binary, regression, embeddings, gathered, nll, pairs, ctc, one_hot, weights, smooth))


def cross_entropy(d: Draw) -> None:
    b, c, _t = d.sizes(3)
    d.line(
        f"logits = torch.randn({b}, {c})",
        f"target = torch.randint({d.wrong(0, 0)}, {d.wrong(c, c + 40)}, ({d.wrong(b, b + 1)},){d.wrong('', ', dtype=torch.int32', ', dtype=torch.float32')})",
    )
    d.line(f"loss = {d.pick('F.cross_entropy', 'nn.CrossEntropyLoss()')}(logits{d.wrong('', '.argmax(1)', '[:, :, None]')}, target)", "print(loss.item())")


def classes(d: Draw) -> None:
    b, c, t = d.sizes(3)
    d.line(f"logits = torch.randn({b}, {t}, {c})", f"target = torch.tensor({[[d.wrong(c - 1, c, -1)] * t] * b})")
    d.line(
        d.pick(
            f"loss = F.cross_entropy(logits{d.wrong('.transpose(1, 2)', '')}, target)",
            f"loss = F.cross_entropy(logits.reshape(-1, {d.wrong(c, t)}), target.reshape(-1))",
            f"loss = F.cross_entropy(logits.flatten(0, 1), target.{d.wrong('flatten()', 'flatten(1)')})",
        ),
        "print(loss)",
    )


def binary(d: Draw) -> None:
    b, n = d.sizes(2)
    d.line(f"x = torch.randn({b}, {n})")
    kind = d.pick("bce", "logits", "module")
    target = d.wrong(
        d.pick(f"torch.rand({b}, {n})", f"torch.ones({b}, {n})", f"torch.randint(0, 2, ({b}, {n})).float()"),
        f"torch.randint(0, 2, ({b}, {n}))",
        f"torch.ones({b})",
        f"torch.ones({b}, {n}, 1)",
    )
    d.line(f"y = {target}")
    if kind == "bce":
        d.line(f"loss = F.binary_cross_entropy({d.wrong('torch.sigmoid(x)', 'torch.full_like(x, 1.5)', 'x.abs() + 2')}, y)")
    elif kind == "logits":
        d.line("loss = F.binary_cross_entropy_with_logits(x, y)")
    else:
        d.line(f"loss = nn.BCELoss()({d.wrong('x.sigmoid()', 'x.exp() + 1')}, y)")
    d.line("print(loss)")


def regression(d: Draw) -> None:
    b, n, _m = d.sizes(3)
    d.line(
        f"x, y = torch.randn({b}, {n}), torch.randn({d.shape([b, n])})",
        f"print({d.pick('F.mse_loss', 'F.l1_loss', 'F.smooth_l1_loss', 'nn.HuberLoss()', 'nn.MSELoss()')}(x, y){d.wrong('', '.missing', '[0]')})",
    )


def embeddings(d: Draw) -> None:
    v, e, b = d.sizes(3)
    d.line(
        f"emb = nn.Embedding({v}, {e}{d.wrong('', f', padding_idx={v}')})",
        f"ids = {d.wrong(d.pick(f'torch.randint(0, {v}, ({b}, 3))', f'torch.arange({v})', f'torch.tensor([0, {v - 1}])'), f'torch.tensor([0, {v}])', 'torch.tensor([0.0, 1.0])', f'torch.arange({v + 1})', 'torch.tensor([-1])')}",
    )
    d.line("h = emb(ids)", f"print(h.reshape(-1, {d.wrong(e, 10 * v * e + 1)}).shape)")


def gathered(d: Draw) -> None:
    b, c = d.sizes(2)
    d.line(f"p = torch.randn({b}, {c}).log_softmax(1)", f"i = torch.{d.wrong(f'randint(0, {c}, ({b},))', f'full(({b},), {c})', f'zeros({b})')}")
    d.line(d.pick(f"print(-p[torch.arange({b}), i].mean())", f"print(p.gather(1, i{d.wrong('[:, None]', '')}).squeeze(1).mean())", "print(F.nll_loss(p, i))"))


def nll(d: Draw) -> None:
    b, c, w = d.sizes(3)
    d.line(
        f"x = torch.randn({b}, {c}, {w}, {w})",
        f"t = torch.randint(0, {c}, ({d.shape([b, w, w])}))",
        f"print(F.nll_loss(F.log_softmax(x, dim=1), t, ignore_index={d.pick(-100, 0, 255)}))",
        f"print(F.cross_entropy(x, t, weight=torch.ones({d.wrong(c, w)})))",
    )


def pairs(d: Draw) -> None:
    b, n, m = d.sizes(3)
    d.line(f"a, p, q = torch.randn({b}, {n}), torch.randn({b}, {n}), torch.randn({b}, {d.wrong(n, m)})")
    d.line(
        d.pick(
            "print(F.triplet_margin_loss(a, p, q))",
            f"print(F.cosine_embedding_loss(a, q, torch.ones({d.wrong(b, m)})))",
            f"print(F.cosine_similarity(a, q).reshape({d.wrong(b, n)}))",
            f"print(F.margin_ranking_loss(a.sum(1), q[:, 0], torch.ones({d.wrong(b, b + 1)})))",
        )
    )


def ctc(d: Draw) -> None:
    t, b, c, s = d.size(8, 12), d.size(2, 3), d.size(5, 8), d.size(2, 3)
    d.line(f"log_probs = torch.randn({t}, {b}, {c}).log_softmax(2)", f"targets = torch.randint(1, {c}, ({b}, {s}))")
    d.line(
        f"lengths = torch.full(({b},), {d.wrong(t, t + 1)}, dtype=torch.long)",
        f"print(F.ctc_loss(log_probs, targets, lengths, torch.full(({d.wrong(b, b + 1)},), {d.wrong(s, s + 1)}, dtype=torch.long)))",
    )


def one_hot(d: Draw) -> None:
    _b, c = d.sizes(2)
    d.line(
        f"t = torch.tensor({[0, d.wrong(c - 1, c)]})",
        f"y = F.one_hot(t{d.wrong('', '.float()')}, num_classes={c})",
        f"x = torch.randn(2, {d.wrong(c, c + 1)})",
        f"print(F.mse_loss(x, y.float()), F.binary_cross_entropy_with_logits(x, y{d.wrong('.float()', '')}))",
    )


def weights(d: Draw) -> None:
    b, c, k = d.sizes(3)
    d.line(
        f"loss = nn.CrossEntropyLoss(weight=torch.rand({d.wrong(c, k)}), reduction={d.wrong(repr(d.pick('none', 'mean', 'sum')), repr('average'))}{d.pick('', ', label_smoothing=0.1')})",
        f"y = loss(torch.randn({b}, {c}), torch.randint({c}, ({b},)))",
        "print(y.mean())",
    )


def smooth(d: Draw) -> None:
    b, c = d.sizes(2)
    d.line(
        f"p = torch.randn({b}, {c})",
        f"q = torch.randn({b}, {d.wrong(c, c + 1)})",
        f"print(F.kl_div(p.log_softmax(1), q.softmax({d.wrong(1, 2)}), reduction='batchmean'))",
        f"print(F.gaussian_nll_loss(p, p, torch.ones({b}, {c}){d.wrong('', ' * -1')}))",
    )
