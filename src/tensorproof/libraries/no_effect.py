"""Calls that neither make nor change a tensor's shape: they return a plain value and are no gap."""

from __future__ import annotations

_RETURNS_NOTHING = {
    "torch.manual_seed", "torch.set_grad_enabled", "torch.set_num_threads", "torch.set_printoptions",
    "torch.cuda.empty_cache", "torch.cuda.manual_seed", "torch.cuda.manual_seed_all", "torch.cuda.synchronize", "torch.seed",
    "torch.use_deterministic_algorithms", "torch.set_float32_matmul_precision", "numpy.random.seed", "tf.random.set_seed", "random.seed",
    "torch.autograd.set_detect_anomaly", "warnings.filterwarnings", "warnings.simplefilter", "numpy.set_printoptions",
}  # fmt: skip
_RETURNS_WORD = {"torch.device"}


def returns_nothing(name: str) -> bool:
    return name in _RETURNS_NOTHING


def returns_word(name: str) -> bool:
    """Calls whose result is a name that only devices and formats read."""
    return name in _RETURNS_WORD
