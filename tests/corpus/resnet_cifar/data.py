from pathlib import Path

import torch
import torchvision
import torchvision.transforms as T
from torch.utils.data import DataLoader, DistributedSampler, random_split

MEAN, STD = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)


def pipeline(augment):
    steps = []
    if augment:
        steps += [T.RandomCrop(32, padding=4), T.RandomHorizontalFlip(), T.ColorJitter(0.2, 0.2, 0.2)]
    steps.extend([T.ToTensor(), T.Normalize(MEAN, STD)])
    if augment:
        steps.append(T.RandomErasing(p=0.25))
    return T.Compose(steps)


def make_loaders(root, batch_size, workers=4, kept_back=5000, distributed=False):
    root = Path(root).expanduser()
    everything = torchvision.datasets.CIFAR10(root=str(root), train=True, download=True, transform=pipeline(True))
    test = torchvision.datasets.CIFAR10(root=str(root), train=False, download=True, transform=pipeline(False))
    train, val = random_split(everything, [len(everything) - kept_back, kept_back], generator=torch.Generator().manual_seed(42))
    sampler = DistributedSampler(train) if distributed else None
    shared = dict(num_workers=workers, pin_memory=True)
    loaders = {
        "train": DataLoader(train, batch_size=batch_size, shuffle=sampler is None, sampler=sampler, drop_last=True, **shared),
        "val": DataLoader(val, batch_size=2 * batch_size, **shared),
        "test": DataLoader(test, batch_size=2 * batch_size, **shared),
    }
    return loaders, sampler
