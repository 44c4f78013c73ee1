"""Train a small GPT on the characters of a text."""

import argparse
import math
import os
import pickle
import time
from contextlib import nullcontext
from dataclasses import asdict, replace

import numpy as np
import torch
from torch.distributed import destroy_process_group, init_process_group
from torch.nn.parallel import DistributedDataParallel as DDP

from model import GPT
from settings import TrainSettings

parser = argparse.ArgumentParser()
parser.add_argument("--texts", default="texts/plays")
parser.add_argument("--out", default="out")
parser.add_argument("--start", default="new", choices=["new", "resume"])
parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
parser.add_argument("--precision", default="bfloat16", choices=["float32", "bfloat16", "float16"])
args = parser.parse_args()

settings = TrainSettings()
many = int(os.environ.get("RANK", -1)) != -1
if many:
    init_process_group(backend="nccl")
    local = int(os.environ["LOCAL_RANK"])
    device = f"cuda:{local}"
    torch.cuda.set_device(device)
    first = int(os.environ["RANK"]) == 0
else:
    device, first = args.device, True
if first:
    os.makedirs(args.out, exist_ok=True)
torch.manual_seed(99)
torch.backends.cuda.matmul.allow_tf32 = True
kind = "cuda" if "cuda" in device else "cpu"
precision = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}[args.precision]
context = nullcontext() if kind == "cpu" else torch.amp.autocast(device_type=kind, dtype=precision)


def pieces(part):
    """Random pieces of the text, and the same one character later."""
    text = np.memmap(os.path.join(args.texts, f"{part}.bin"), dtype=np.uint16, mode="r")
    length = settings.model.context
    starts = torch.randint(len(text) - length, (settings.batch,))
    x = torch.stack([torch.from_numpy(text[i : i + length].astype(np.int64)) for i in starts])
    y = torch.stack([torch.from_numpy(text[i + 1 : i + 1 + length].astype(np.int64)) for i in starts])
    if kind == "cuda":
        return x.pin_memory().to(device, non_blocking=True), y.pin_memory().to(device, non_blocking=True)
    return x.to(device), y.to(device)


step, best = 0, 1e9
known = os.path.join(args.texts, "characters.pkl")
if os.path.exists(known):
    with open(known, "rb") as f:
        print("characters:", pickle.load(f)["count"])

if args.start == "new":
    model = GPT(settings.model)
else:
    saved = torch.load(os.path.join(args.out, "state.pt"), map_location=device)
    model = GPT(replace(settings.model, **saved["settings"]))
    weights = saved["model"]
    for name in list(weights.keys()):
        if name.startswith("_orig_mod."):
            weights[name[len("_orig_mod."):]] = weights.pop(name)
    model.load_state_dict(weights)
    step, best = saved["step"], saved["best"]
model.to(device)
print("%.2f million parameters" % (model.size() / 1e6))

scaler = torch.amp.GradScaler(enabled=(args.precision == "float16"))
optimizer = model.optimizer(settings.weight_decay, settings.lr, settings.betas, kind == "cuda")
if settings.compile:
    model = torch.compile(model)
if many:
    model = DDP(model, device_ids=[local])
inner = model.module if many else model


@torch.no_grad()
def evaluate():
    found = {}
    model.eval()
    for part in ["train", "val"]:
        losses = torch.zeros(settings.eval_batches)
        for k in range(settings.eval_batches):
            x, y = pieces(part)
            with context:
                logits, loss = model(x, y)
            losses[k] = loss.item()
        found[part] = losses.mean()
    model.train()
    return found


def rate(at):
    """Up in a line, then down along a cosine."""
    if at < settings.warmup:
        return settings.lr * (at + 1) / (settings.warmup + 1)
    if at > settings.steps:
        return settings.least_lr
    done = (at - settings.warmup) / (settings.steps - settings.warmup)
    return settings.least_lr + 0.5 * (1.0 + math.cos(math.pi * done)) * (settings.lr - settings.least_lr)


x, y = pieces("train")
clock = time.time()
for step in range(step, settings.steps + 1):
    for group in optimizer.param_groups:
        group["lr"] = rate(step)
    if step % settings.eval_every == 0 and first:
        losses = evaluate()
        print(f"step {step}: train {losses['train']:.4f}, val {losses['val']:.4f}")
        if losses["val"] < best:
            best = losses["val"]
            if step > 0:
                state = {"model": inner.state_dict(), "optimizer": optimizer.state_dict(), "settings": asdict(settings.model), "step": step, "best": best}
                torch.save(state, os.path.join(args.out, "state.pt"))
    for part in range(settings.accumulate):
        if many:
            model.require_backward_grad_sync = part == settings.accumulate - 1
        with context:
            logits, loss = model(x, y)
            loss = loss / settings.accumulate
        x, y = pieces("train")
        scaler.scale(loss).backward()
    if settings.clip != 0.0:
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    if step % 10 == 0 and first:
        now = time.time()
        print(f"step {step}: loss {loss.item() * settings.accumulate:.4f}, {(now - clock) * 100:.2f} ms")
        clock = now

begin = torch.zeros((1, 1), dtype=torch.long, device=device)
written = inner.write(begin, 500, temperature=0.8, likeliest=200)[0].tolist()
print(len(written), written[:10])
if many:
    destroy_process_group()
