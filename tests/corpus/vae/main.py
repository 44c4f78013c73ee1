"""Learn to draw digits: python main.py --conv --latent 32"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.utils.data
from torch import optim
from torchvision import datasets, transforms
from torchvision.utils import save_image

from model import AutoEncoder, bound


@dataclass
class Settings:
    batch: int = 128
    epochs: int = 10
    latent: int = 16
    conv: bool = False
    beta: float = 1.0
    lr: float = 1e-3
    seed: int = 3
    log_every: int = 100
    pictures: str = "pictures"

    @classmethod
    def from_command_line(cls):
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--batch", type=int, default=cls.batch)
        parser.add_argument("--epochs", type=int, default=cls.epochs)
        parser.add_argument("--latent", type=int, default=cls.latent)
        parser.add_argument("--conv", action="store_true")
        parser.add_argument("--beta", type=float, default=cls.beta)
        return cls(**vars(parser.parse_args()))


class Trainer:
    def __init__(self, settings: Settings):
        self.settings = settings
        torch.manual_seed(settings.seed)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.options = {"num_workers": 1, "pin_memory": True} if self.device.type == "cuda" else {}
        self.train_loader = self._loader(True)
        self.test_loader = self._loader(False)
        self.model = AutoEncoder(settings.latent, settings.conv).to(self.device)
        self.optimizer = optim.Adam(self.model.parameters(), lr=settings.lr)
        self.folder = Path(settings.pictures)
        self.folder.mkdir(parents=True, exist_ok=True)

    def _loader(self, train):
        digits = datasets.MNIST("../datasets", train=train, download=train, transform=transforms.ToTensor())
        return torch.utils.data.DataLoader(digits, batch_size=self.settings.batch, shuffle=train, **self.options)

    def train(self, epoch):
        self.model.train()
        total = 0.0
        for step, (images, _) in enumerate(self.train_loader):
            images = images.to(self.device)
            self.optimizer.zero_grad()
            painted, mean, log_var = self.model(images)
            loss = bound(painted, images, mean, log_var, self.settings.beta)
            loss.backward()
            total += loss.item()
            self.optimizer.step()
            if step % self.settings.log_every == 0:
                print(f"epoch {epoch}, step {step}/{len(self.train_loader)}: {loss.item() / len(images):.3f} per picture")
        print("epoch {}: {:.3f} per picture".format(epoch, total / len(self.train_loader.dataset)))

    def test(self, epoch):
        self.model.eval()
        total = 0.0
        with torch.no_grad():
            for step, (images, _) in enumerate(self.test_loader):
                images = images.to(self.device)
                painted, mean, log_var = self.model(images)
                total += bound(painted, images, mean, log_var, self.settings.beta).item()
                if step == 0:
                    shown = min(images.size(0), 8)
                    rows = torch.cat([images[:shown], painted.view(len(images), 1, 28, 28)[:shown]])
                    save_image(rows.cpu(), str(self.folder / f"again_{epoch}.png"), nrow=shown)
        return total / len(self.test_loader.dataset)

    def walk(self, steps=10):
        """From one code to another in equal steps."""
        start, end = torch.randn(2, 1, self.settings.latent, device=self.device)
        weights = torch.linspace(0, 1, steps, device=self.device).unsqueeze(1)
        return self.model.decode(start * (1 - weights) + end * weights)

    def run(self):
        for epoch in range(1, self.settings.epochs + 1):
            self.train(epoch)
            print(f"held out: {self.test(epoch):.3f} per picture")
            drawn = self.model.sample(64, self.device).cpu()
            save_image(drawn.view(64, 1, 28, 28), self.folder / f"drawn_{epoch}.png")
        save_image(self.walk().cpu(), self.folder / "walk.png", nrow=10)


if __name__ == "__main__":
    Trainer(Settings.from_command_line()).run()
