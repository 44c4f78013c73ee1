import torchvision.datasets as sets
import torchvision.transforms as transforms


def open_pictures(kind, root, side):
    """A dataset of square pictures, and how many colors they have."""
    shared = [transforms.Resize(side), transforms.CenterCrop(side), transforms.ToTensor()]
    if kind == "mnist":
        steps = transforms.Compose(shared + [transforms.Normalize((0.5,), (0.5,))])
        return sets.MNIST(root, download=True, transform=steps), 1
    steps = transforms.Compose(shared + [transforms.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))])
    if kind == "cifar10":
        return sets.CIFAR10(root, download=True, transform=steps), 3
    if kind == "folder":
        return sets.ImageFolder(root, transform=steps), 3
    if kind == "fake":
        return sets.FakeData(size=2000, image_size=(3, side, side), transform=steps), 3
    raise ValueError("no such kind of pictures: " + kind)
