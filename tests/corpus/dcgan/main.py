"""A painter and a critic who learn from each other."""

from __future__ import print_function

import argparse
import os
import random

import torch
import torch.nn as nn
import torch.utils.data
import torchvision.utils as vutils
from torch.optim import Adam

from networks import Critic, Painter, set_weights
from pictures import open_pictures

parser = argparse.ArgumentParser()
parser.add_argument("--kind", default="cifar10", help="cifar10 | mnist | folder | fake")
parser.add_argument("--root", default="./datasets", help="where the pictures are")
parser.add_argument("--workers", type=int, default=2)
parser.add_argument("--batchSize", type=int, default=64)
parser.add_argument("--side", type=int, default=64, help="height and width of a picture")
parser.add_argument("--noise", type=int, default=100)
parser.add_argument("--width", type=int, default=64)
parser.add_argument("--epochs", type=int, default=25)
parser.add_argument("--lr", type=float, default=0.0002)
parser.add_argument("--gpus", type=int, default=1)
parser.add_argument("--painter", default="", help="a file to go on from")
parser.add_argument("--out", default=".")
parser.add_argument("--seed", type=int)
opt = parser.parse_args()
print(opt)

try:
    os.makedirs(opt.out)
except OSError:
    pass

if opt.seed is None:
    opt.seed = random.randint(1, 10000)
random.seed(opt.seed)
torch.manual_seed(opt.seed)

dataset, colors = open_pictures(opt.kind, opt.root, opt.side)
assert dataset
loader = torch.utils.data.DataLoader(dataset, batch_size=opt.batchSize, shuffle=True, num_workers=int(opt.workers))
device = torch.device("cuda:0" if torch.cuda.is_available() and opt.gpus > 0 else "cpu")

painter = Painter(opt.noise, opt.width, colors).to(device)
if device.type == "cuda" and opt.gpus > 1:
    painter = nn.DataParallel(painter, list(range(opt.gpus)))
painter.apply(set_weights)
if opt.painter != "":
    painter.load_state_dict(torch.load(opt.painter))
critic = Critic(colors, opt.width).to(device)
critic.apply(set_weights)
print(painter, critic, sep="\n")

criterion = nn.BCEWithLogitsLoss()
same_noise = torch.randn(opt.batchSize, opt.noise, 1, 1, device=device)
REAL, FAKE = 1, 0
critic_optimizer = Adam(critic.parameters(), lr=opt.lr, betas=(0.5, 0.999))
painter_optimizer = Adam(painter.parameters(), lr=opt.lr, betas=(0.5, 0.999))
history = {"critic": [], "painter": []}

for epoch in range(opt.epochs):
    for i, batch in enumerate(loader, 0):
        # the critic looks at real pictures, then at painted ones
        critic.zero_grad()
        real = batch[0].to(device)
        n = real.size(0)
        wanted = torch.full((n,), REAL, dtype=real.dtype, device=device)
        verdict = critic(real)
        on_real = criterion(verdict, wanted)
        on_real.backward()
        trust = verdict.sigmoid().mean().item()

        z = torch.randn(n, opt.noise, 1, 1, device=device)
        painted = painter(z)
        wanted.fill_(FAKE)
        verdict = critic(painted.detach())
        on_fake = criterion(verdict, wanted)
        on_fake.backward()
        critic_loss = on_real + on_fake
        critic_optimizer.step()

        # the painter wants its pictures to be taken for real
        painter.zero_grad()
        wanted.fill_(REAL)
        painter_loss = criterion(critic(painted), wanted)
        painter_loss.backward()
        painter_optimizer.step()

        history["critic"].append(critic_loss.item())
        history["painter"].append(painter_loss.item())
        if i % 100 == 0:
            print("epoch %d/%d, step %d/%d: critic %.3f, painter %.3f, trust %.3f"
                  % (epoch, opt.epochs, i, len(loader), critic_loss.item(), painter_loss.item(), trust))
            vutils.save_image(real, "%s/real.png" % opt.out, normalize=True)
            with torch.no_grad():
                shown = painter(same_noise)
            vutils.save_image(shown.detach(), "%s/painted_%03d.png" % (opt.out, epoch), normalize=True)
    torch.save(painter.state_dict(), "%s/painter_%d.pth" % (opt.out, epoch))
    torch.save(critic.state_dict(), "%s/critic_%d.pth" % (opt.out, epoch))
