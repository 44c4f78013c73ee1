import logging
import os
import random

import numpy as np
import torch
import torch.nn.functional as F

log = logging.getLogger("cifar")


class Mean:
    """A running mean."""

    def __init__(self, label, form=".3f"):
        self.label, self.form = label, form
        self.clear()

    def clear(self):
        self.total, self.weight = 0.0, 0

    def add(self, value, weight=1):
        self.total += value * weight
        self.weight += weight

    @property
    def value(self):
        return self.total / max(self.weight, 1)

    def __str__(self):
        return f"{self.label} {format(self.value, self.form)}"


@torch.no_grad()
def hits(scores, labels, ks=(1,)):
    """The share of samples whose class is among the k likeliest, for each k."""
    _, likely = scores.topk(max(ks), 1, True, True)
    match = likely.t().eq(labels.view(1, -1).expand(max(ks), -1))
    return [match[:k].reshape(-1).float().sum(0, keepdim=True).mul_(100.0 / labels.size(0)) for k in ks]


def seed_all(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.benchmark = True


def mix(images, labels, alpha, classes):
    """Blends each sample with another one of the batch."""
    share = float(np.random.beta(alpha, alpha)) if alpha > 0 else 1.0
    other = torch.randperm(images.size(0), device=images.device)
    soft = F.one_hot(labels, classes).float()
    return share * images + (1 - share) * images[other], share * soft + (1 - share) * soft[other]


def store(state, best, folder):
    os.makedirs(folder, exist_ok=True)
    target = os.path.join(folder, "latest.pth")
    torch.save(state, target)
    if best:
        torch.save(state, os.path.join(folder, "best.pth"))
        log.info("a new best, kept in %s", folder)
