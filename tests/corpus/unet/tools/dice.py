import torch
from torch import Tensor


def overlap(guess: Tensor, truth: Tensor, over_batch: bool = False, eps: float = 1e-6) -> Tensor:
    """Twice what both share, over what both have; the mean over all masks."""
    assert guess.size() == truth.size()
    assert guess.dim() == 3 or not over_batch
    axes = (-1, -2) if guess.dim() == 2 or not over_batch else (-1, -2, -3)
    both = 2 * (guess * truth).sum(dim=axes)
    all_of_it = guess.sum(dim=axes) + truth.sum(dim=axes)
    all_of_it = torch.where(all_of_it == 0, both, all_of_it)
    return ((both + eps) / (all_of_it + eps)).mean()


def overlap_of_classes(guess: Tensor, truth: Tensor, over_batch: bool = False) -> Tensor:
    return overlap(guess.flatten(0, 1), truth.flatten(0, 1), over_batch)


def dice_loss(guess: Tensor, truth: Tensor, classes: bool = False) -> Tensor:
    measure = overlap_of_classes if classes else overlap
    return 1 - measure(guess, truth, over_batch=True)
