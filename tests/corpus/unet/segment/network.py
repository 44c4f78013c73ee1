import torch.nn as nn

from .parts import Classify, Grow, Shrink, TwoConvs


class UNet(nn.Module):
    """Down four times, up four times, each level joined with its like."""

    def __init__(self, colors=3, classes=2, smooth=False, base=64):
        super().__init__()
        self.colors, self.classes, self.smooth = colors, classes, smooth
        half = 2 if smooth else 1
        self.enter = TwoConvs(colors, base)
        self.shrink = nn.ModuleList([
            Shrink(base, base * 2), Shrink(base * 2, base * 4), Shrink(base * 4, base * 8), Shrink(base * 8, base * 16 // half),
        ])
        self.grow = nn.ModuleList([
            Grow(base * 16, base * 8 // half, smooth), Grow(base * 8, base * 4 // half, smooth), Grow(base * 4, base * 2 // half, smooth),
            Grow(base * 2, base, smooth),
        ])
        self.classify = Classify(base, classes)

    def forward(self, x):
        kept = [self.enter(x)]
        for shrink in self.shrink:
            kept.append(shrink(kept[-1]))
        y = kept.pop()
        for grow in self.grow:
            y = grow(y, kept.pop())
        return self.classify(y)
