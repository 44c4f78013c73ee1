"""Two linear layers that do not fit together."""
import torch
import torch.nn as nn

fc1 = nn.Linear(784, 120)
fc2 = nn.Linear(80, 10)
x = torch.zeros(32, 784)
h = fc1(x)
y = fc2(h)
