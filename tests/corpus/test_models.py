"""The models of the scripts that `infer` has no contract for, run by the real torch as their drivers run them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.corpus.test_infer import loaded


def test_recurrent_networks_run() -> None:
    torch = pytest.importorskip("torch")
    model = loaded("language_model/model.py")
    for kind in ("LSTM", "GRU", "tanh", "relu"):
        net = model.Recurrent(kind, 11, 6, 6, 2, tied=True)
        scores, _ = net(torch.zeros(5, 3, dtype=torch.int64), net.start(3))
        assert scores.shape == (15, 11)


def test_the_translator_runs() -> None:
    torch = pytest.importorskip("torch")
    model = loaded("seq2seq/model.py")
    net = model.build(9, 7, SimpleNamespace(embed=6, hidden=5, dropout=0.1), "cpu", 0)
    source, target = torch.randint(9, (4, 3)), torch.randint(7, (6, 3))
    assert net(source, target).shape == (6, 3, 7)


def test_the_writer_writes() -> None:
    torch = pytest.importorskip("torch")
    settings = loaded("gpt/settings.py")
    model = loaded("gpt/model.py")
    net = model.GPT(settings.ModelSettings(context=8, vocabulary=12, layers=2, heads=2, width=8))
    logits, loss = net(torch.randint(12, (2, 8)), torch.randint(12, (2, 8)))
    assert logits.shape == (2, 8, 12) and loss.shape == ()
    assert net.write(torch.zeros((1, 1), dtype=torch.long), 12, likeliest=5).shape == (1, 13)
