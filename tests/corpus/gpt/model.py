"""A transformer that writes: decoder only, learned places, tied weights."""

import math
from typing import Optional, Tuple

import torch
import torch.nn as nn
from torch import Tensor
from torch.nn import functional as F

from settings import ModelSettings


class Norm(nn.Module):
    """Layer normalisation, with or without a bias."""

    def __init__(self, width: int, bias: bool = True):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)


class RootNorm(nn.Module):
    """Divides by the root of the mean square."""

    def __init__(self, width: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x):
        scale = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + self.eps)
        return (x.float() * scale).type_as(x) * self.gain


class SelfAttention(nn.Module):
    def __init__(self, s: ModelSettings = ModelSettings()):
        super().__init__()
        assert s.width % s.heads == 0
        self.project = nn.Linear(s.width, 3 * s.width, bias=s.bias)
        self.merge = nn.Linear(s.width, s.width, bias=s.bias)
        self.drop = nn.Dropout(s.dropout)
        self.heads, self.width, self.p = s.heads, s.width, s.dropout
        self.fast = hasattr(F, "scaled_dot_product_attention")
        if not self.fast:
            past = torch.tril(torch.ones(s.context, s.context))
            self.register_buffer("past", past.view(1, 1, s.context, s.context))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.project(x).split(self.width, dim=2)
        q, k, v = (t.view(B, T, self.heads, C // self.heads).transpose(1, 2) for t in (q, k, v))
        if self.fast:
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=self.p if self.training else 0, is_causal=True)
        else:
            scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
            scores = scores.masked_fill(self.past[:, :, :T, :T] == 0, float("-inf"))
            y = self.drop(F.softmax(scores, dim=-1)) @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.drop(self.merge(y))


class SlowAttention(nn.Module):
    """The same by hand, with a mask that is kept as a buffer."""

    def __init__(self, width: int = 384, heads: int = 6, context: int = 256):
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.merge = nn.Linear(width, width)
        self.register_buffer("mask", torch.tril(torch.ones(context, context)).bool())

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.project(x).reshape(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        scores = scores.masked_fill(~self.mask[:t, :t], float("-inf"))
        return self.merge((scores.softmax(dim=-1) @ v).transpose(1, 2).reshape(b, t, c))


class FeedForward(nn.Module):
    def __init__(self, s: ModelSettings = ModelSettings()):
        super().__init__()
        self.up = nn.Linear(s.width, 4 * s.width, bias=s.bias)
        self.act = nn.GELU()
        self.down = nn.Linear(4 * s.width, s.width, bias=s.bias)
        self.drop = nn.Dropout(s.dropout)

    def forward(self, x):
        return self.drop(self.down(self.act(self.up(x))))


class Gated(nn.Module):
    """A feed-forward layer in which one half opens and closes the other."""

    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Layer(nn.Module):
    def __init__(self, s: ModelSettings = ModelSettings()):
        super().__init__()
        self.norm1, self.norm2 = Norm(s.width, bias=s.bias), Norm(s.width, bias=s.bias)
        self.attention, self.feed = SelfAttention(s), FeedForward(s)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.feed(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, s: ModelSettings = ModelSettings()):
        super().__init__()
        assert s.vocabulary is not None and s.context is not None
        self.settings = s
        self.parts = nn.ModuleDict(dict(
            tokens=nn.Embedding(s.vocabulary, s.width),
            places=nn.Embedding(s.context, s.width),
            drop=nn.Dropout(s.dropout),
            layers=nn.ModuleList([Layer(s) for _ in range(s.layers)]),
            norm=Norm(s.width, bias=s.bias),
        ))
        self.head = nn.Linear(s.width, s.vocabulary, bias=False)
        self.parts.tokens.weight = self.head.weight
        self.apply(self._start)
        for name, p in self.named_parameters():
            if name.endswith(("merge.weight", "down.weight")):
                nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * s.layers))

    def size(self, places=False):
        count = sum(p.numel() for p in self.parameters())
        if not places:
            count -= self.parts.places.weight.numel()
        return count

    def _start(self, part):
        if isinstance(part, (nn.Linear, nn.Embedding)):
            nn.init.normal_(part.weight, mean=0.0, std=0.02)
        if isinstance(part, nn.Linear) and part.bias is not None:
            nn.init.zeros_(part.bias)

    def forward(self, tokens, targets: Optional[Tensor] = None) -> Tuple[Tensor, Optional[Tensor]]:
        b, t = tokens.size()
        assert t <= self.settings.context, f"{t} tokens do not fit into a context of {self.settings.context}"
        places = torch.arange(0, t, dtype=torch.long, device=tokens.device)
        x = self.parts.drop(self.parts.tokens(tokens) + self.parts.places(places))
        for layer in self.parts.layers:
            x = layer(x)
        x = self.parts.norm(x)
        if targets is None:
            return self.head(x[:, [-1], :]), None
        logits = self.head(x)
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)

    def optimizer(self, weight_decay, lr, betas, fused):
        named = {n: p for n, p in self.named_parameters() if p.requires_grad}
        groups = [
            {"params": [p for p in named.values() if p.dim() >= 2], "weight_decay": weight_decay},
            {"params": [p for p in named.values() if p.dim() < 2], "weight_decay": 0.0},
        ]
        return torch.optim.AdamW(groups, lr=lr, betas=betas, fused=fused)

    @torch.no_grad()
    def write(self, tokens, count, temperature=1.0, likeliest=None):
        for _ in range(count):
            recent = tokens if tokens.size(1) <= self.settings.context else tokens[:, -self.settings.context :]
            logits, _ = self(recent)
            logits = logits[:, -1, :] / temperature
            if likeliest is not None:
                best, _ = torch.topk(logits, min(likeliest, logits.size(-1)))
                logits[logits < best[:, [-1]]] = -float("Inf")
            chosen = torch.multinomial(F.softmax(logits, dim=-1), num_samples=1)
            tokens = torch.cat((tokens, chosen), dim=1)
        return tokens
