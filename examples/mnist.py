"""Learn to read handwritten digits: python mnist.py --epochs 5 --batch 128"""

import argparse
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, random_split
from torchvision.datasets import MNIST
from torchvision.transforms import Compose, Normalize, ToTensor


class DigitReader(nn.Module):
    def __init__(self, width: int = 24, hidden: int = 96, drop: float = 0.3):
        super().__init__()
        self.eyes = nn.Sequential(
            nn.Conv2d(1, width, kernel_size=5),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, kernel_size=3),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.mind = nn.Sequential(
            nn.Flatten(),
            nn.Linear(2 * width * 5 * 5, hidden),
            nn.ReLU(),
            nn.Dropout(drop),
            nn.Linear(hidden, 10),
        )

    def forward(self, pictures):
        return self.mind(self.eyes(pictures))


def pictures(folder: str, batch: int):
    prepare = Compose([ToTensor(), Normalize(mean=(0.13,), std=(0.31,))])
    everything = MNIST(folder, train=True, download=True, transform=prepare)
    learn, watch = random_split(everything, [55_000, 5_000])
    exam = MNIST(folder, train=False, transform=prepare)
    return (DataLoader(part, batch_size=batch, shuffle=part is learn) for part in (learn, watch, exam))


@torch.no_grad()
def score(model, loader, device):
    model.eval()
    right, guesses = 0, []
    for x, y in loader:
        guess = model(x.to(device)).argmax(dim=1).cpu()
        right += (guess == y).sum().item()
        guesses.append(guess)
    return right / len(loader.dataset), torch.cat(guesses)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="digits")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--out", type=Path, default=Path("reader.pt"))
    args = parser.parse_args()

    device = "cuda" if torch.cuda.is_available() else "cpu"
    learn, watch, exam = pictures(args.data, args.batch)
    model = DigitReader().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.lr, total_steps=args.epochs * len(learn))
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.05)

    for epoch in range(args.epochs):
        model.train()
        for step, (x, y) in enumerate(learn):
            loss = loss_of(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            if step % 100 == 0:
                print(f"epoch {epoch}, step {step}: loss {loss.item():.3f}")
        print(f"epoch {epoch}: {score(model, watch, device)[0]:.2%} of the watched ones")

    share, guesses = score(model, exam, device)
    print(f"exam: {share:.2%}, most often {guesses.mode().values.item()}")
    torch.save(model.state_dict(), args.out)


if __name__ == "__main__":
    main()
