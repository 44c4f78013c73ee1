"""Teach a network to read digits: python train.py --model cnn --epochs 3"""

from __future__ import annotations

import argparse
import os

import torch
import torch.nn.functional as F
from torch import optim
from torch.optim.lr_scheduler import StepLR

from data import loaders
from model import build


def fit_epoch(net, batches, optimizer, device, every, epoch):
    net.train()
    for step, (images, labels) in enumerate(batches):
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        scores = net(images)
        loss = F.nll_loss(scores, labels)
        loss.backward()
        optimizer.step()
        if step % every == 0:
            share = 100.0 * step / len(batches)
            print("epoch {:d}: {:5.1f}% done ({} of {} pictures), loss {:.4f}".format(
                epoch, share, step * len(images), len(batches.dataset), loss.item()))


def measure(net, batches, device):
    """The mean loss, the share of right answers, and that share digit by digit."""
    net.eval()
    loss, right = 0.0, 0
    table = torch.zeros(10, 10, dtype=torch.int64)
    with torch.no_grad():
        for images, labels in batches:
            images, labels = images.to(device), labels.to(device)
            scores = net(images)
            loss += F.nll_loss(scores, labels, reduction="sum").item()
            guess = scores.argmax(dim=1, keepdim=True)
            right += guess.eq(labels.view_as(guess)).sum().item()
            pairs = torch.stack([labels.view(-1), guess.view(-1)], dim=1)
            for true, said in pairs.tolist():
                table[true, said] += 1
    count = len(batches.dataset)
    by_digit = table.diag().float() / table.sum(dim=1).clamp(min=1).float()
    return loss / count, right / count, by_digit


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="cnn", choices=["cnn", "mlp", "classic"])
    parser.add_argument("--batch", type=int, default=64, help="pictures in one step")
    parser.add_argument("--eval-batch", type=int, default=1000)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--lr", type=float, default=1.0)
    parser.add_argument("--decay", type=float, default=0.7)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--log-every", type=int, default=50)
    parser.add_argument("--root", default=os.path.join("..", "datasets"))
    parser.add_argument("--save", metavar="FILE", default=None)
    return parser.parse_args()


def main():
    args = arguments()
    on_gpu = torch.cuda.is_available() and not args.cpu
    device = torch.device("cuda" if on_gpu else "cpu")
    torch.manual_seed(args.seed)
    extra = {}
    if on_gpu:
        extra.update(num_workers=2, pin_memory=True)
    training, held_out = loaders(args.root, args.batch, args.eval_batch, **extra)

    net = build(args.model).to(device)
    print(f"{sum(p.numel() for p in net.parameters() if p.requires_grad):,} parameters")
    optimizer = optim.Adadelta(net.parameters(), lr=args.lr)
    schedule = StepLR(optimizer, step_size=1, gamma=args.decay)
    best = 0.0
    for epoch in range(1, args.epochs + 1):
        fit_epoch(net, training, optimizer, device, args.log_every, epoch)
        loss, accuracy, by_digit = measure(net, held_out, device)
        schedule.step()
        weakest = int(by_digit.argmin())
        print(f"held out: loss {loss:.4f}, right {accuracy:.2%}; weakest digit {weakest} at {by_digit[weakest].item():.2%}")
        if accuracy > best:
            best = accuracy
            if args.save:
                torch.save(net.state_dict(), args.save)


if __name__ == "__main__":
    main()
