import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class SteadyDropout(nn.Module):
    """Drops the same features at every step of a text."""

    def __init__(self, p=0.5):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or not self.p:
            return x
        mask = x.new_empty(1, x.size(1), x.size(2)).bernoulli_(1 - self.p)
        return x * (mask / (1 - self.p))


class Recurrent(nn.Module):
    """Embeds words, runs over them, and guesses the next ones."""

    def __init__(self, kind, words, embed, hidden, layers, dropout=0.5, tied=False):
        super(Recurrent, self).__init__()
        self.kind, self.words, self.hidden, self.layers = kind, words, hidden, layers
        self.drop = nn.Dropout(dropout)
        self.steady = SteadyDropout(dropout)
        self.encoder = nn.Embedding(words, embed)
        if kind in ["LSTM", "GRU"]:
            self.rnn = getattr(nn, kind)(embed, hidden, layers, dropout=dropout)
        else:
            try:
                act = {"tanh": "tanh", "relu": "relu"}[kind.lower()]
            except KeyError:
                raise ValueError("--kind is one of LSTM, GRU, tanh, relu, attention") from None
            self.rnn = nn.RNN(embed, hidden, layers, nonlinearity=act, dropout=dropout)
        self.decoder = nn.Linear(hidden, words)
        if tied:
            if hidden != embed:
                raise ValueError("tied weights need hidden == embed")
            self.decoder.weight = self.encoder.weight
        for weight in (self.encoder.weight, self.decoder.weight):
            nn.init.uniform_(weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)

    def forward(self, tokens, state):
        embedded = self.steady(self.encoder(tokens))
        out, state = self.rnn(embedded, state)
        scores = self.decoder(self.drop(out)).view(-1, self.words)
        return F.log_softmax(scores, dim=1), state

    def start(self, columns):
        like = next(self.parameters())
        zeros = like.new_zeros(self.layers, columns, self.hidden)
        return (zeros, like.new_zeros(self.layers, columns, self.hidden)) if self.kind == "LSTM" else zeros


class Waves(nn.Module):
    """Adds sines and cosines that tell the place of a word."""

    def __init__(self, features, dropout=0.1, longest=5000):
        super().__init__()
        self.drop = nn.Dropout(p=dropout)
        place = torch.arange(0, longest, dtype=torch.float).unsqueeze(1)
        speed = torch.exp(torch.arange(0, features, 2).float() * (-math.log(10000.0) / features))
        table = torch.zeros(longest, features)
        table[:, 0::2] = torch.sin(place * speed)
        table[:, 1::2] = torch.cos(place * speed)
        self.register_buffer("table", table.unsqueeze(0).transpose(0, 1))

    def forward(self, x):
        return self.drop(x + self.table[: x.size(0), :])


class Attentive(nn.Module):
    """The same task with a transformer that sees only the past."""

    def __init__(self, words=1000, embed=200, heads=2, hidden=200, layers=2, dropout=0.5):
        super().__init__()
        self.embed = embed
        self.past = None
        self.table = nn.Embedding(words, embed)
        self.waves = Waves(embed, dropout)
        layer = nn.TransformerEncoderLayer(embed, heads, hidden, dropout)
        self.layers = nn.TransformerEncoder(layer, layers)
        self.decoder = nn.Linear(embed, words)

    def forward(self, tokens, masked=True):
        if not masked:
            self.past = None
        elif self.past is None or self.past.size(0) != len(tokens):
            self.past = torch.log(torch.tril(torch.ones(len(tokens), len(tokens)))).to(tokens.device)
        x = self.waves(self.table(tokens) * math.sqrt(self.embed))
        x = self.layers(x, mask=self.past)
        return F.log_softmax(self.decoder(x), dim=-1)
