from torch.utils.data import DataLoader
from torchvision import datasets, transforms

NORMALIZE = transforms.Normalize((0.1307,), (0.3081,))


def loaders(root, batch, eval_batch, **extra):
    plain = transforms.Compose([transforms.ToTensor(), NORMALIZE])
    moved = transforms.Compose([transforms.RandomCrop(28, padding=2), transforms.RandomRotation(10), plain])
    training = datasets.MNIST(root, train=True, download=True, transform=moved)
    held_out = datasets.MNIST(root, train=False, transform=plain)
    return DataLoader(training, batch_size=batch, shuffle=True, **extra), DataLoader(held_out, batch_size=eval_batch, **extra)
