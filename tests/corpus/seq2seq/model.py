"""A translator of recurrent networks with attention; steps are the first axis, sentences the second."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class Reader(nn.Module):
    def __init__(self, words, embed, hidden, dropout=0.5):
        super().__init__()
        self.table = nn.Embedding(words, embed)
        self.rnn = nn.GRU(embed, hidden, bidirectional=True)
        self.join = nn.Linear(hidden * 2, hidden)
        self.dropout = nn.Dropout(dropout)

    def forward(self, source):
        states, last = self.rnn(self.dropout(self.table(source)))
        # the last states of both directions become the writer's first
        both = torch.cat((last[-2, :, :], last[-1, :, :]), dim=1)
        return states, torch.tanh(self.join(both))


class Attention(nn.Module):
    """How much each word that was read matters for the next one to write."""

    def __init__(self, hidden):
        super().__init__()
        self.mix = nn.Linear(hidden * 3, hidden)
        self.score = nn.Linear(hidden, 1, bias=False)

    def forward(self, state, read, mask=None):
        steps = read.shape[0]
        query = state.unsqueeze(1).repeat(1, steps, 1)
        energy = torch.tanh(self.mix(torch.cat((query, read.permute(1, 0, 2)), dim=2)))
        scores = self.score(energy).squeeze(2)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e10)
        return F.softmax(scores, dim=1)


class DotAttention(nn.Module):
    """Scaled products of a query with keys."""

    def __init__(self, query=256, key=512):
        super().__init__()
        self.project = nn.Linear(query, key, bias=False)

    def forward(self, query, keys):
        scores = torch.bmm(keys, self.project(query).unsqueeze(2)).squeeze(2)
        weights = torch.softmax(scores / keys.size(-1) ** 0.5, dim=-1)
        return torch.bmm(weights.unsqueeze(1), keys).squeeze(1), weights


class Writer(nn.Module):
    def __init__(self, words, embed, hidden, dropout, attention):
        super().__init__()
        self.words = words
        self.attention = attention
        self.table = nn.Embedding(words, embed)
        self.rnn = nn.GRU(hidden * 2 + embed, hidden)
        self.out = nn.Linear(hidden * 3 + embed, words)
        self.dropout = nn.Dropout(dropout)

    def forward(self, word, state, read, mask):
        embedded = self.dropout(self.table(word.unsqueeze(0)))
        weights = self.attention(state, read, mask).unsqueeze(1)
        seen = torch.bmm(weights, read.permute(1, 0, 2)).permute(1, 0, 2)
        output, last = self.rnn(torch.cat((embedded, seen), dim=2), state.unsqueeze(0))
        assert output.shape == last.shape
        scores = self.out(torch.cat((output.squeeze(0), seen.squeeze(0), embedded.squeeze(0)), dim=1))
        return scores, last.squeeze(0), weights.squeeze(1)


class Translator(nn.Module):
    def __init__(self, reader, writer, pad, device):
        super().__init__()
        self.reader, self.writer, self.pad, self.device = reader, writer, pad, device

    def mask(self, source):
        return (source != self.pad).permute(1, 0)

    def forward(self, source, target, forcing=0.5):
        steps, batch = target.shape[0], source.shape[1]
        said = torch.zeros(steps, batch, self.writer.words).to(self.device)
        read, state = self.reader(source)
        mask = self.mask(source)
        word = target[0, :]
        for t in range(1, steps):
            scores, state, _ = self.writer(word, state, read, mask)
            said[t] = scores
            word = target[t] if random.random() < forcing else scores.argmax(1)
        return said


def build(ours, theirs, args, device, pad):
    reader = Reader(ours, args.embed, args.hidden, args.dropout)
    writer = Writer(theirs, args.embed, args.hidden, args.dropout, Attention(args.hidden))
    return Translator(reader, writer, pad, device).to(device)
