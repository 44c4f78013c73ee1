"""Callbacks, hooks, schedulers and trackers."""

from __future__ import annotations

import types


class Callback:
    def __init__(self, *args, **options):  # type: ignore[no-untyped-def]
        self.best = None

    def __call__(self, *args, **kwargs):  # type: ignore[no-untyped-def]
        return None

    def on_step_end(self, *args, **kwargs):  # type: ignore[no-untyped-def]
        return None

    def on_epoch_end(self, *args, **kwargs):  # type: ignore[no-untyped-def]
        return False

    def should_stop(self, value: object) -> bool:
        return False


EarlyStopping = ModelCheckpoint = Callback


def default_callbacks():  # type: ignore[no-untyped-def]
    return [Callback(), Callback()]


def hook(module, inputs, output):  # type: ignore[no-untyped-def]
    return None


class WarmupCosine:
    def __init__(self, optimizer, *args, **options):  # type: ignore[no-untyped-def]
        self.optimizer = optimizer

    def step(self, *args: object) -> None:
        pass

    def get_last_lr(self) -> list[float]:
        return [0.1]

    def state_dict(self) -> dict[str, object]:
        return {}


def get_scheduler(name, optimizer, **options):  # type: ignore[no-untyped-def]
    return WarmupCosine(optimizer)


def beta_schedule(steps: int):  # type: ignore[no-untyped-def]
    import torch

    return torch.linspace(0.0, 1.0, steps)


def make_optimizer(parameters, name: str = "", lr: float = 0.1):  # type: ignore[no-untyped-def]
    import torch

    return torch.optim.SGD(parameters, lr=lr)


class Tracker:
    def __init__(self, *args, **options):  # type: ignore[no-untyped-def]
        self.config = types.SimpleNamespace(hidden=24, lr=0.1)
        self.name = "run"

    def __enter__(self):  # type: ignore[no-untyped-def]
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def log(self, *args, **kwargs):  # type: ignore[no-untyped-def]
        pass

    watch = finish = add_scalar = add_graph = add_histogram = update = log


def init(*args, **options):  # type: ignore[no-untyped-def]
    return Tracker()


def log(*args, **options):  # type: ignore[no-untyped-def]
    pass


class AverageMeter:
    def __init__(self, name: str = "") -> None:
        self.avg = 0.0

    def update(self, value: object, n: int = 1) -> None:
        pass
