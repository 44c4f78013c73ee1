"""Programs for the program form: each ends with tensors in its top-level names. `# loop` says that the form must have a loop; `# known: a b` names that must
have a bound at one end at least."""

from __future__ import annotations

TORCH = {
    "straight": """
# known: p x y z
import torch
x = torch.sigmoid(torch.randn(3, 4))
y = torch.relu(x @ torch.ones(4, 2) - 1)
p = torch.softmax(y, dim=1)
z = torch.log(p + 1e-6)
""",
    "branch": """
# known: y z
import torch
x = torch.sigmoid(torch.randn(3))
if torch.randn(()) > 0.5:
    y = x + 1
else:
    y = x - 1
z = y * 2
""",
    "branch that binds one name": """
# known: y
import torch
x = torch.sigmoid(torch.randn(3))
y = x
if x.sum() > 1:
    y = torch.exp(x)
""",
    "early return": """
# known: y
import torch
def f(x):
    if x.mean() > 0.5:
        return x + 10
    x = x - 10
    if x.sum() < -28:
        return x * 2
    return x
y = f(torch.sigmoid(torch.randn(3)))
""",
    "constant loop": """
# known: x y
# loop
import torch
x = torch.sigmoid(torch.randn(3))
for i in range(100):
    x = torch.sigmoid(x + 1)
y = x + 1
""",
    "loop that grows": """
# known: x y
# loop
import torch
x = torch.sigmoid(torch.randn(3))
for i in range(50):
    x = x + 1
y = x * 1
""",
    "loop that shrinks": """
# known: x
# loop
import torch
x = torch.sigmoid(torch.randn(3)) + 1
y = x
for i in range(60):
    x = x / 2 + 0.5
z = y - x
""",
    "in place": """
# known: x y
# loop
import torch
x = torch.zeros(3)
for i in range(20):
    x += 0.5
y = x + 1
""",
    "in place through a view": """
import torch
x = torch.zeros(4)
v = x.view(2, 2)
v.add_(1)
y = x + 1
x[0] = 5
z = x * 1
w = v * 2
""",
    "in place in a branch": """
import torch
x = torch.sigmoid(torch.randn(4))
y = x
if x[0] > 0.5:
    x.mul_(10)
z = x + 1
w = y + 1
""",
    "while on data": """
# known: x y
# loop
import torch
x = torch.sigmoid(torch.randn(3)) + 0.1
while x.sum() < 30:
    x = x * 2
y = x + 1
""",
    "while with break": """
# known: y w
# loop
import torch
x = torch.sigmoid(torch.randn(3)) + 0.1
y = x
while True:
    x = x / 2
    if x.max() < 0.01:
        break
z = x + 1
w = y + 1
""",
    "while with a counter": """
# known: x
import torch
x = torch.ones(2)
n = 0
while n < 1000:
    x = torch.tanh(x) + 0.1
    n += 1
""",
    "batches": """
# known: l
# loop
import torch
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.rand(100, 3), torch.rand(100))
total = torch.zeros(())
for a, b in DataLoader(data, batch_size=10):
    l = (a.sum(1) - b).abs().mean()
    total = total + l
""",
    "batches with a rest": """
# loop
import torch
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.rand(103, 3), torch.rand(103))
best = torch.full((), -1.0)
for epoch in range(20):
    for a, b in DataLoader(data, batch_size=10, shuffle=True):
        best = torch.maximum(best, torch.sigmoid(a.sum()))
""",
    "an optimizer's steps": """
# known: v
# loop
import torch
w = torch.ones(3, requires_grad=True)
d = w.detach()
opt = torch.optim.SGD([w], lr=0.1)
for i in range(30):
    loss = (w * torch.rand(3)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
y = w * 1
v = torch.relu(w)
e = d * 1
""",
    "a module that is trained": """
# known: p
# loop
import torch
from torch import nn
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.Adam(model.parameters())
for i in range(20):
    x, t = torch.rand(16, 4), torch.randint(0, 2, (16,))
    loss = nn.functional.cross_entropy(model(x), t)
    opt.zero_grad()
    loss.backward()
    opt.step()
p = torch.softmax(model(torch.rand(3, 4)), 1)
""",
    "a list of states": """
# known: h s m
import torch
h = torch.zeros(3)
outs = []
for t in range(5):
    h = torch.tanh(h + torch.sigmoid(torch.randn(3)))
    outs.append(h)
s = torch.stack(outs)
m = s.mean(0)
""",
    "a long list of states": """
# known: h
# loop
import torch
h = torch.zeros(3)
outs = []
for t in range(200):
    h = torch.tanh(h + torch.sigmoid(torch.randn(3)))
    outs.append(h * (t + 1))
last = outs[-1]
third = outs[3]
s = torch.stack(outs)
""",
    "a list that grows by itself": """
import torch
xs = [torch.ones(2)]
for i in range(40):
    xs.append(xs[-1] * 2)
last = xs[-1]
first = xs[0]
""",
    "two values that change places": """
import torch
a = torch.zeros(3)
b = torch.ones(3)
for i in range(11):
    a, b = b, a + 0.5
""",
    "a value that is older": """
import torch
x = torch.ones(3)
old = x
for i in range(30):
    old = x
    x = x + 1
d = x - old
""",
    "nested loops": """
# known: x
# loop
import torch
x = torch.zeros(3)
y = torch.ones(3)
for i in range(20):
    for j in range(20):
        x = torch.sigmoid(x + y)
    y = x * 2
""",
    "an object's state": """
# known: y
# loop
import torch
class Cell:
    def __init__(self):
        self.h = torch.zeros(3)
        self.count = 0
    def step(self, x):
        self.h = torch.tanh(self.h + x)
        self.count += 1
        return self.h
cell = Cell()
for i in range(50):
    y = cell.step(torch.sigmoid(torch.randn(3)))
h = cell.h
""",
    "a dict of states": """
import torch
state = {"a": torch.zeros(3), "b": torch.ones(3)}
for i in range(40):
    state["a"], state["b"] = state["b"] + 1, state["a"] - 1
a = state["a"] * 1
b = state["b"] * 1
""",
    "a tuple that is carried": """
# loop
import torch
hc = (torch.zeros(3), torch.zeros(3))
for i in range(40):
    h, c = hc
    c = c * 0.5 + torch.sigmoid(h)
    hc = (torch.tanh(c), c)
h, c = hc
""",
    "a list of tensors that is replaced": """
import torch
weights = [torch.zeros(2), torch.ones(2)]
for i in range(30):
    weights = [w + 1 for w in weights]
a = weights[0] * 1
b = weights[1] * 1
""",
    "continue": """
# loop
import torch
x = torch.ones(3)
for i in range(40):
    r = torch.randn(())
    if r > 0:
        continue
    x = x * 0.5
y = x + 1
""",
    "break": """
import torch
x = torch.ones(3)
for i in range(40):
    x = x + 1
    if torch.randn(()) > 1:
        break
y = x + 1
""",
    "comprehension": """
# known: s
import torch
s = sum([torch.sigmoid(torch.randn(3)) * i for i in range(8)])
t = torch.stack([torch.full((2,), float(i)) for i in range(6)])
""",
    "a generator": """
import torch
def numbers():
    x = torch.ones(2)
    while True:
        x = x + 1
        yield x
total = torch.zeros(2)
for i, x in enumerate(numbers()):
    if i >= 7:
        break
    total = total + x
""",
    "a first value that is none": """
# loop
import torch
h = None
for i in range(30):
    x = torch.sigmoid(torch.randn(3))
    h = x if h is None else torch.maximum(h, x) + 0.5
""",
    "a choice of several": """
import random
import torch
xs = [torch.zeros(3), torch.ones(3), torch.full((3,), 7.0)]
x = random.choice(xs)
y = xs[random.randint(0, 2)]
z = xs[int(torch.randint(0, 3, ()))]
""",
    "a loop that may not run": """
# loop
import random
import torch
x = torch.ones(3)
for i in range(random.randint(0, 40)):
    x = x + 1
y = x * 1
""",
    "an unknown number": """
import random
import torch
k = random.random() * 5 + 1
x = torch.full((3,), k)
y = torch.clamp(torch.randn(3) * 10, max=k)
""",
    "running statistics": """
# loop
import torch
from torch import nn
bn = nn.BatchNorm1d(3)
for i in range(20):
    y = bn(torch.rand(8, 3) * 100 + 50)
m = bn.running_mean * 1
v = bn.running_var * 1
""",
    "copy and clone": """
import copy
import torch
x = torch.ones(3)
y = x.clone()
z = copy.deepcopy(x)
x.add_(1)
a = y + 0
b = z + 0
c = x + 0
""",
    "a copy that a branch writes into": """
import random
import torch
a = torch.full((3,), 0.5)
c = torch.zeros(3)
if random.random() > 0.5:
    c = a.clone()
    c.mul_(2)
z = c * 1
""",
    "a copy that an iteration writes into": """
import torch
x = torch.sigmoid(torch.randn(3))
for i in range(60):
    x = x.clone()
    x.mul_(2)
z = x * 1
""",
    "out": """
import torch
x = torch.zeros(3)
y = torch.ones(3)
torch.add(x, 2, out=y)
z = y * 1
x.copy_(z)
w = x * 1
""",
    "try": """
import torch
x = torch.ones(3)
try:
    x = x + 1
    y = {}["k"]
    x = x + 100
except KeyError:
    x = x * 3
""",
    "arrays": """
# loop
import numpy as np
x = np.ones(3)
for i in range(40):
    x = np.tanh(x) + 1
a = np.zeros((3, 3))
a[1] = x
a *= 2
b = a.T + 1
""",
}

TENSORFLOW = {
    "straight": """
# known: p z
import tensorflow as tf
x = tf.sigmoid(tf.random.normal((3, 4)))
y = tf.nn.relu(tf.matmul(x, tf.ones((4, 2))) - 1.0)
p = tf.nn.softmax(y)
z = tf.math.log(p + 1e-6)
""",
    "constant loop": """
# known: x y
# loop
import tensorflow as tf
x = tf.sigmoid(tf.random.normal((3,)))
for i in range(40):
    x = tf.tanh(x) + 1.0
y = x * 2.0
""",
    "branch": """
# known: y
import tensorflow as tf
x = tf.sigmoid(tf.random.normal((3,)))
if tf.reduce_sum(x) > 1.5:
    y = x + 1.0
else:
    y = x - 1.0
""",
    "while_loop": """
# known: s y z
# loop
import tensorflow as tf
x = tf.sigmoid(tf.random.normal((3,)))
i, y = tf.while_loop(lambda i, v: i < 30, lambda i, v: (i + 1, v * 1.5 + 1.0), [0, x])
s = tf.sigmoid(y)
z = y + 1.0
""",
    "while_loop that waits": """
# known: y z
import tensorflow as tf
x = tf.sigmoid(tf.random.normal((3,))) + 0.1
y, = tf.while_loop(lambda v: tf.reduce_sum(v) < 50.0, lambda v: (v * 2.0,), [x])
z = y + 1.0
""",
    "cond": """
# known: y z
import tensorflow as tf
x = tf.sigmoid(tf.random.normal((3,)))
y = tf.cond(tf.reduce_mean(x) > 0.5, lambda: tf.exp(x), lambda: x - 10.0)
z = y + 1.0
""",
    "function with a loop": """
# known: y z
import tensorflow as tf
@tf.function
def f(x, n):
    for i in tf.range(n):
        x = x * 2.0
    if tf.reduce_sum(x) > 3.0:
        x = x - 100.0
    return x
y = f(tf.sigmoid(tf.random.normal((3,))), tf.constant(7))
z = y + 1.0
""",
    "function with a while": """
# known: y z
import tensorflow as tf
@tf.function
def f(x):
    while tf.reduce_max(x) > 0.01:
        x = x / 2.0
    return x
y = f(tf.sigmoid(tf.random.normal((3,))))
z = y + 1.0
""",
    "variable": """
import tensorflow as tf
v = tf.Variable(tf.ones((3,)))
a = v + 0.0
v.assign_add(tf.ones((3,)))
b = v + 0.0
for i in range(20):
    v.assign(v * 2.0)
c = v * 1.0
r = v.read_value()
""",
    "training": """
import tensorflow as tf
w = tf.Variable(tf.ones((3,)))
opt = tf.keras.optimizers.SGD(0.1)
for i in range(20):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(w - 3.0))
    g = tape.gradient(loss, [w])
    opt.apply_gradients(zip(g, [w]))
y = w * 1.0
d = tf.sigmoid(w)
""",
    "scan and map": """
# known: s m f
import tensorflow as tf
x = tf.sigmoid(tf.random.normal((5, 3)))
s = tf.scan(lambda a, b: a + b, x)
m = tf.map_fn(lambda r: r * 2.0 + 1.0, x)
f = tf.foldl(lambda a, b: a * 0.5 + b, x)
""",
    "tensor array": """
import tensorflow as tf
ta = tf.TensorArray(tf.float32, size=6)
x = tf.zeros((3,))
for i in range(6):
    x = x + 1.0
    ta = ta.write(i, x)
y = ta.stack()
r = ta.read(2)
""",
    "dataset": """
# known: b total
import tensorflow as tf
data = tf.data.Dataset.from_tensor_slices(tf.range(20, dtype=tf.float32)).map(lambda v: v * 2.0).batch(4)
total = tf.zeros(())
for b in data:
    total = total + tf.reduce_sum(b)
""",
    "functional model": """
# known: p
import numpy as np
import tensorflow as tf
from tensorflow import keras
i = keras.Input((4,))
h = keras.layers.Dense(8, activation="relu")(i)
o = keras.layers.Dense(3, activation="softmax")(h)
model = keras.Model(i, o)
model.compile("sgd", "sparse_categorical_crossentropy")
model.fit(np.random.rand(16, 4), np.random.randint(0, 3, (16,)), epochs=2, verbose=0)
p = model(tf.ones((2, 4)))
q = p + 1.0
""",
    "functional model with sums": """
# known: y z
import tensorflow as tf
from tensorflow import keras
i = keras.Input((4,))
o = keras.ops.sigmoid(i) + 1.0
model = keras.Model(i, o * 2.0)
y = model(tf.random.normal((2, 4)))
z = model(tf.zeros((2, 4)))
""",
    "session": """
# known: a b c
import numpy as np
import tensorflow.compat.v1 as tf
graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(tf.float32, (None, 3))
    y = tf.sigmoid(x) + 1.0
    z = tf.reduce_sum(y, 1)
    with tf.Session() as session:
        a, b = session.run([y, z], {x: np.ones((2, 3), np.float32)})
        c = session.run(z, {x: np.zeros((2, 3), np.float32)})
""",
}
