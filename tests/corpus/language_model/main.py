# coding: utf-8
"""Learn the next word of a text, then write some."""

import argparse
import math
import os
import time

import torch
import torch.nn as nn

import model
import text

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--folder", type=str, default="./texts/novels", help="holds train.txt, valid.txt and test.txt")
parser.add_argument("--kind", type=str, default="LSTM", help="LSTM, GRU, tanh, relu or attention")
parser.add_argument("--embed", type=int, default=200)
parser.add_argument("--hidden", type=int, default=200)
parser.add_argument("--layers", type=int, default=2)
parser.add_argument("--heads", type=int, default=2)
parser.add_argument("--lr", type=float, default=20)
parser.add_argument("--clip", type=float, default=0.25)
parser.add_argument("--epochs", type=int, default=40)
parser.add_argument("--columns", type=int, default=20, metavar="N")
parser.add_argument("--lines", type=int, default=35)
parser.add_argument("--dropout", type=float, default=0.2)
parser.add_argument("--tied", action="store_true")
parser.add_argument("--seed", type=int, default=11)
parser.add_argument("--cuda", action="store_true")
parser.add_argument("--log-every", type=int, default=200)
parser.add_argument("--save", type=str, default="words.pt")
parser.add_argument("--write", type=int, default=100)
args = parser.parse_args()

torch.manual_seed(args.seed)
if torch.cuda.is_available() and not args.cuda:
    print("there is a CUDA device; --cuda uses it")
device = torch.device("cuda" if args.cuda else "cpu")

library = text.Library(args.folder)
EVAL_COLUMNS = 10
train_text = text.in_columns(library.train, args.columns, device)
valid_text = text.in_columns(library.valid, EVAL_COLUMNS, device)
test_text = text.in_columns(library.test, EVAL_COLUMNS, device)

vocabulary = len(library.words)
attentive = args.kind == "attention"
if attentive:
    net = model.Attentive(vocabulary, args.embed, args.heads, args.hidden, args.layers, args.dropout).to(device)
else:
    net = model.Recurrent(args.kind, vocabulary, args.embed, args.hidden, args.layers, args.dropout, args.tied).to(device)
criterion = nn.NLLLoss()


def cut_loose(state):
    """The same state without its history."""
    if isinstance(state, torch.Tensor):
        return state.detach()
    return tuple(cut_loose(part) for part in state)


def evaluate(columns):
    net.eval()
    total = 0.0
    if not attentive:
        state = net.start(EVAL_COLUMNS)
    with torch.no_grad():
        for begin in range(0, columns.size(0) - 1, args.lines):
            tokens, targets = text.piece(columns, begin, args.lines)
            if attentive:
                scores = net(tokens).view(-1, vocabulary)
            else:
                scores, state = net(tokens, state)
                state = cut_loose(state)
            total += len(tokens) * criterion(scores, targets).item()
    return total / (len(columns) - 1)


def train(epoch, lr):
    net.train()
    total, clock = 0.0, time.time()
    if not attentive:
        state = net.start(args.columns)
    for step, begin in enumerate(range(0, train_text.size(0) - 1, args.lines)):
        tokens, targets = text.piece(train_text, begin, args.lines)
        net.zero_grad()
        if attentive:
            scores = net(tokens).view(-1, vocabulary)
        else:
            scores, state = net(tokens, cut_loose(state))
        loss = criterion(scores, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), args.clip)
        for p in net.parameters():
            p.data.add_(p.grad, alpha=-lr)
        total += loss.item()
        if step % args.log_every == 0 and step > 0:
            mean, passed = total / args.log_every, time.time() - clock
            print("epoch {:3d}, step {:5d} of {:5d}: lr {:05.2f}, {:5.2f} ms, loss {:5.2f}, perplexity {:8.2f}".format(
                epoch, step, len(train_text) // args.lines, lr, passed * 1000 / args.log_every, mean, math.exp(mean)))
            total, clock = 0, time.time()


def write(path, temperature=1.0):
    """Some words, one after the other."""
    net.eval()
    state = None if attentive else net.start(1)
    tokens = torch.randint(vocabulary, (1, 1), dtype=torch.long, device=device)
    with open(path, "w") as out, torch.no_grad():
        for i in range(args.write):
            if attentive:
                weights = net(tokens, False)[-1].squeeze().div(temperature).exp().cpu()
                chosen = torch.multinomial(weights, 1)[0]
                tokens = torch.cat([tokens, torch.tensor([[chosen]]).long().to(device)], 0)
            else:
                scores, state = net(tokens, state)
                weights = scores.squeeze().div(temperature).exp().cpu()
                chosen = torch.multinomial(weights, 1)[0]
                tokens.fill_(chosen)
            out.write(library.words.word[chosen] + ("\n" if i % 20 == 19 else " "))


lr, best = args.lr, None
try:
    for epoch in range(1, args.epochs + 1):
        began = time.time()
        train(epoch, lr)
        loss = evaluate(valid_text)
        print("=" * 60)
        print("epoch {:3d} took {:5.2f} s; valid loss {:5.2f}, perplexity {:8.2f}".format(epoch, time.time() - began, loss, math.exp(loss)))
        if not best or loss < best:
            with open(args.save, "wb") as f:
                torch.save(net.state_dict(), f)
            best = loss
        else:
            lr /= 4.0
except KeyboardInterrupt:
    print("stopped")

if os.path.exists(args.save):
    with open(args.save, "rb") as f:
        net.load_state_dict(torch.load(f))
loss = evaluate(test_text)
print("test loss {:5.2f}, perplexity {:8.2f}".format(loss, math.exp(loss)))
write("written.txt")
