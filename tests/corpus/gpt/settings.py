from dataclasses import dataclass, field
from typing import Optional, Tuple


@dataclass
class ModelSettings:
    context: int = 256
    vocabulary: int = 65
    layers: int = 6
    heads: int = 6
    width: int = 384
    dropout: float = 0.2
    bias: bool = False


@dataclass
class TrainSettings:
    batch: int = 64
    lr: float = 1e-3
    least_lr: float = 1e-4
    steps: int = 5000
    warmup: int = 100
    eval_every: int = 250
    eval_batches: int = 200
    weight_decay: float = 0.1
    betas: Tuple[float, float] = (0.9, 0.99)
    clip: Optional[float] = 1.0
    accumulate: int = 4
    compile: bool = True
    model: ModelSettings = field(default_factory=ModelSettings)
