#!/usr/bin/env python
"""Train a translator: python train.py --pairs pairs.tsv"""

import argparse
import math
import random
import time

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, random_split

from model import build
from pairs import Pairs, read, together
from vocabulary import PAD, START, STOP, Vocabulary


def set_weights(part):
    for name, weight in part.named_parameters():
        if "weight" in name:
            nn.init.normal_(weight.data, mean=0, std=0.01)
        else:
            nn.init.constant_(weight.data, 0)


def train(model, batches, optimizer, criterion, clip, device):
    model.train()
    total = 0
    for source, _, target in batches:
        source, target = source.to(device), target.to(device)
        optimizer.zero_grad()
        said = model(source, target)
        classes = said.shape[-1]
        # nothing is said in place of <start>
        loss = criterion(said[1:].view(-1, classes), target[1:].view(-1))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total += loss.item()
    return total / len(batches)


def evaluate(model, batches, criterion, device):
    model.eval()
    total = 0
    with torch.no_grad():
        for _, batch in enumerate(batches):
            source, lengths, target = batch
            source, target = source.to(device), target.to(device)
            said = model(source, target, 0)
            said = said[1:].reshape(-1, said.shape[-1])
            total += criterion(said, target[1:].reshape(-1)).item()
    return total / len(batches)


@torch.no_grad()
def translate(sentence, model, ours, theirs, device, longest=50):
    model.eval()
    source = torch.LongTensor(ours.encode(sentence.lower())).unsqueeze(1).to(device)
    seen, state = model.reader(source)
    mask = model.mask(source)
    numbers, looks = [START], []
    for _ in range(longest):
        last = torch.LongTensor([numbers[-1]]).to(device)
        scores, state, look = model.writer(last, state, seen, mask)
        looks.append(look)
        number = scores.argmax(1).item()
        numbers.append(number)
        if number == STOP:
            break
    return theirs.decode(numbers[1:]), torch.cat(looks, dim=0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", default="texts/pairs.tsv")
    parser.add_argument("--embed", type=int, default=256)
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--dropout", type=float, default=0.5)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--clip", type=float, default=1)
    parser.add_argument("--seed", type=int, default=4)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.backends.cudnn.deterministic = True
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    sentences = read(args.pairs)
    ours = Vocabulary([s for s, _ in sentences])
    theirs = Vocabulary([t for _, t in sentences])
    train_set, valid_set = random_split(Pairs(sentences, ours, theirs), [0.9, 0.1])
    train_batches = DataLoader(train_set, batch_size=args.batch_size, shuffle=True, collate_fn=together)
    valid_batches = DataLoader(valid_set, batch_size=args.batch_size, collate_fn=together)

    model = build(len(ours), len(theirs), args, device, PAD)
    model.apply(set_weights)
    optimizer = optim.Adam(model.parameters())
    criterion = nn.CrossEntropyLoss(ignore_index=PAD)
    best = float("inf")
    for epoch in range(args.epochs):
        clock = time.time()
        loss = train(model, train_batches, optimizer, criterion, args.clip, device)
        held_out = evaluate(model, valid_batches, criterion, device)
        minutes, seconds = divmod(int(time.time() - clock), 60)
        if held_out < best:
            best = held_out
            torch.save(model.state_dict(), "translator.pt")
        print(f"{epoch + 1:02}: {minutes} min {seconds} s; loss {loss:.3f} ({math.exp(loss):7.3f}), held out {held_out:.3f}")
    one, other = random.choice(sentences)
    said, looks = translate(one, model, ours, theirs, device)
    print(one, "=>", said, "instead of", other, looks.shape)


if __name__ == "__main__":
    main()
