"""The adaptive softmax against torch's layer, whose weights are inputs of the operator."""

from __future__ import annotations

import pytest

from tensorproof.catalogue import find
from tensorproof.terms.dtypes import FLOAT32

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("seed", range(20))
def test_adaptive_log_softmax(seed: int) -> None:
    import numpy as np

    torch.manual_seed(seed)
    cutoffs = [(2,), (2, 5), (1, 3, 6)][seed % 3]
    layer = torch.nn.AdaptiveLogSoftmaxWithLoss(8, 9, list(cutoffs), div_value=2.0, head_bias=seed % 2 == 0)
    x, target = (torch.randn(4, 8), torch.randint(0, 9, (4,))) if seed % 5 else (torch.randn(8), torch.randint(0, 9, ()))
    op = find("adaptive_log_softmax_with_loss")
    assert op is not None and op.evaluate is not None
    weights = {name: value.detach().numpy().astype(np.float64) for name, value in layer.named_parameters()}
    given = {
        "x": x.numpy().astype(np.float64), "target": target.numpy(), "weight": weights["head.weight"], "bias": weights.get("head.bias"),
        "tails": tuple(weights[f"tail.{i}.{j}.weight"] for i in range(len(cutoffs)) for j in (0, 1)), "features": 8, "classes": 9, "cutoffs": cutoffs,
        "results": (FLOAT32, FLOAT32),
    }  # fmt: skip
    output, loss = op.evaluate(np, given)
    with torch.no_grad():
        wanted = layer(x, target)
    assert np.allclose(output, wanted.output.numpy(), atol=1e-5)
    assert np.allclose(loss, wanted.loss.numpy(), atol=1e-5)
