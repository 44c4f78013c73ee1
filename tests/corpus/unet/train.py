"""Teach a U-Net to cut things out of pictures."""

import argparse
import logging
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.utils.data import DataLoader, random_split
from tqdm import tqdm

from evaluate import evaluate
from segment import UNet
from tools.dice import dice_loss
from tools.pictures import MaskedPictures

PICTURES, MASKS, KEPT = Path("./pictures/all/"), Path("./pictures/masks/"), Path("./kept/")


def train(net, device, epochs=5, batch_size=1, lr=1e-5, held_out=0.1, keep=True, side=256, amp=False, clip=1.0):
    pictures = MaskedPictures(str(PICTURES), str(MASKS), side)
    n_val = int(len(pictures) * held_out)
    n_train = len(pictures) - n_val
    train_set, val_set = random_split(pictures, [n_train, n_val], generator=torch.Generator().manual_seed(0))
    shared = dict(batch_size=batch_size, num_workers=4, pin_memory=True)
    train_batches = DataLoader(train_set, shuffle=True, **shared)
    val_batches = DataLoader(val_set, shuffle=False, drop_last=True, **shared)
    logging.info(f"""{epochs} epochs of {n_train} pictures
        in batches of {batch_size}, {n_val} held out,
        on {device.type}{' in mixed precision' if amp else ''}""")

    optimizer = optim.RMSprop(net.parameters(), lr=lr, weight_decay=1e-8, momentum=0.999, foreach=True)
    schedule = optim.lr_scheduler.ReduceLROnPlateau(optimizer, "max", patience=5)
    scaler = torch.amp.GradScaler(device.type, enabled=amp)
    criterion = nn.CrossEntropyLoss() if net.classes > 1 else nn.BCEWithLogitsLoss()
    steps = 0

    for epoch in range(1, epochs + 1):
        net.train()
        total = 0
        with tqdm(total=n_train, desc=f"epoch {epoch} of {epochs}") as bar:
            for batch in train_batches:
                images, masks = batch["picture"], batch["mask"]
                assert images.shape[1] == net.colors, (
                    f"the network takes {net.colors} colors, "
                    f"the pictures have {images.shape[1]}"
                )
                images = images.to(device=device, dtype=torch.float32, memory_format=torch.channels_last)
                masks = masks.to(device=device, dtype=torch.long)
                with torch.autocast(device.type if device.type != "mps" else "cpu", enabled=amp):
                    scores = net(images)
                    if net.classes == 1:
                        loss = criterion(scores.squeeze(1), masks.float())
                        loss += dice_loss(F.sigmoid(scores.squeeze(1)), masks.float())
                    else:
                        loss = criterion(scores, masks)
                        loss += dice_loss(
                            F.softmax(scores, dim=1).float(),
                            F.one_hot(masks, net.classes).permute(0, 3, 1, 2).float(),
                            classes=True,
                        )
                optimizer.zero_grad(set_to_none=True)
                scaler.scale(loss).backward()
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(net.parameters(), clip)
                scaler.step(optimizer)
                scaler.update()
                bar.update(images.shape[0])
                steps += 1
                total += loss.item()
                bar.set_postfix(**{"loss now": loss.item()})
                every = n_train // (5 * batch_size)
                if every > 0 and steps % every == 0:
                    score = evaluate(net, val_batches, device, amp)
                    schedule.step(score)
                    logging.info("held out: {}".format(score))
        if keep:
            Path(KEPT).mkdir(parents=True, exist_ok=True)
            torch.save(net.state_dict(), str(KEPT / "epoch{}.pth".format(epoch)))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", "-e", metavar="E", type=int, default=5)
    parser.add_argument("--batch-size", "-b", dest="batch_size", metavar="B", type=int, default=4)
    parser.add_argument("--learning-rate", "-l", type=float, default=1e-5, dest="lr")
    parser.add_argument("--load", "-f", type=str, default=False, help="weights to go on from")
    parser.add_argument("--side", "-s", type=int, default=256, help="height and width of a picture")
    parser.add_argument("--held-out", "-v", dest="held_out", type=float, default=10.0, help="percent of the pictures")
    parser.add_argument("--amp", action="store_true", default=False)
    parser.add_argument("--smooth", action="store_true", default=False)
    parser.add_argument("--classes", "-c", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    args = arguments()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s: %(message)s")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    logging.info(f"on {device}")
    net = UNet(colors=3, classes=args.classes, smooth=args.smooth)
    net = net.to(memory_format=torch.channels_last)
    if args.load:
        net.load_state_dict(torch.load(args.load, map_location=device))
        logging.info(f"weights of {args.load}")
    net.to(device=device)
    train(net=net, epochs=args.epochs, batch_size=args.batch_size, lr=args.lr, device=device, side=args.side, held_out=args.held_out / 100, amp=args.amp)
