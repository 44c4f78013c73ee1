"""A classifier whose loss becomes NaN after a while: `tensorproof numerics examples/nan_loss.py --fix` says where and how to mend it."""

import torch
import torch.nn as nn

net = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

for step in range(1000):
    images, labels = torch.rand(64, 784), torch.randint(0, 10, (64,))
    scores = net((images - images.mean(0)) / images.std(0))
    probabilities = torch.softmax(scores, dim=1)
    loss = -torch.log(probabilities).gather(1, labels[:, None]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
