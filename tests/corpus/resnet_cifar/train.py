"""Train a residual network on CIFAR-10: python train.py --net small --amp"""

import argparse
import logging
import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.amp import GradScaler, autocast
from torch.nn.parallel import DistributedDataParallel as DDP
from tqdm import tqdm

import nets
from data import make_loaders
from helpers import Mean, hits, log, mix, seed_all, store

CLASSES = 10

cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
cli.add_argument("--net", default="small", choices=("small", "medium", "deep"))
cli.add_argument("--lr", default=0.1, type=float, help="peak learning rate")
cli.add_argument("-b", "--batch-size", default=128, type=int)
cli.add_argument("--epochs", default=120, type=int)
cli.add_argument("--wd", "--weight-decay", default=5e-4, type=float, dest="weight_decay")
cli.add_argument("--mix", default=0.2, type=float)
cli.add_argument("--resume", "-r", action="store_true", help="go on from the latest checkpoint")
cli.add_argument("--root", default="~/datasets")
cli.add_argument("--out", default="runs/cifar")
cli.add_argument("--amp", action=argparse.BooleanOptionalAction, default=True)
cli.add_argument("--seed", default=0, type=int)
cli.add_argument("--local-rank", default=int(os.environ.get("LOCAL_RANK", -1)), type=int)


def one_epoch(model, loader, criterion, optimizer, schedule, scaler, device, args, epoch):
    loss_mean, top1, top5 = Mean("loss", ".4f"), Mean("top1"), Mean("top5")
    model.train()
    bar = tqdm(loader, desc=f"epoch {epoch}", leave=False)
    for images, labels in bar:
        images = images.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        blended, soft = mix(images, labels, args.mix, CLASSES)
        optimizer.zero_grad(set_to_none=True)
        with autocast(device_type=device.type, enabled=args.amp):
            scores = model(blended)
            loss = criterion(scores, soft)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=5.0)
        scaler.step(optimizer)
        scaler.update()
        schedule.step()
        first, fifth = hits(scores, labels, ks=(1, 5))
        loss_mean.add(loss.item(), images.size(0))
        top1.add(first[0].item(), images.size(0))
        top5.add(fifth[0].item(), images.size(0))
        bar.set_postfix(loss=loss_mean.value, top1=top1.value, lr=schedule.get_last_lr()[0])
    return loss_mean, top1


@torch.no_grad()
def evaluate(model, loader, criterion, device):
    model.eval()
    seen, right, loss = 0, 0, 0.0
    answers = []
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        scores = model(images)
        loss += criterion(scores, labels).item() * labels.size(0)
        _, guess = scores.max(1)
        seen += labels.size(0)
        right += guess.eq(labels).sum().item()
        answers.append(guess.cpu())
    spread = torch.bincount(torch.cat(answers), minlength=CLASSES)
    log.debug("answers by class: %s", spread.tolist())
    return loss / seen, 100.0 * right / seen


def main():
    args = cli.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    seed_all(args.seed)
    distributed = args.local_rank >= 0
    if distributed:
        torch.cuda.set_device(args.local_rank)
        dist.init_process_group(backend="nccl")
        device = torch.device("cuda", args.local_rank)
    else:
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    loaders, sampler = make_loaders(args.root, args.batch_size, distributed=distributed)
    net = getattr(nets, args.net)(classes=CLASSES).to(device)
    first_epoch, best = 0, 0.0
    if args.resume:
        state = torch.load(os.path.join(args.out, "latest.pth"), map_location=device)
        net.load_state_dict(state["net"])
        best, first_epoch = state["accuracy"], state["epoch"] + 1
    model = DDP(net, device_ids=[args.local_rank]) if distributed else net

    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim <= 1]
    groups = [{"params": matrices, "weight_decay": args.weight_decay}, {"params": vectors, "weight_decay": 0.0}]
    optimizer = torch.optim.SGD(groups, lr=args.lr, momentum=0.9, nesterov=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=args.lr, epochs=args.epochs, steps_per_epoch=len(loaders["train"]))
    scaler = GradScaler(enabled=args.amp)

    for epoch in range(first_epoch, first_epoch + args.epochs):
        began = time.time()
        if sampler is not None:
            sampler.set_epoch(epoch)
        loss_mean, top1 = one_epoch(model, loaders["train"], criterion, optimizer, schedule, scaler, device, args, epoch)
        val_loss, accuracy = evaluate(model, loaders["val"], criterion, device)
        log.info("epoch %d: %s, %s; val %.3f, %.2f%% (%.1f s)", epoch, loss_mean, top1, val_loss, accuracy, time.time() - began)
        is_best = accuracy > best
        best = max(accuracy, best)
        if args.local_rank in (-1, 0):
            store({"net": net.state_dict(), "accuracy": accuracy, "epoch": epoch, "optimizer": optimizer.state_dict()}, is_best, args.out)
    log.info("test: loss %.3f, %.2f%%", *evaluate(model, loaders["test"], criterion, device))
    if distributed:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
