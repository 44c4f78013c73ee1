"""Families of recurrent networks, of graphs, policies and recommendations."""

from __future__ import annotations

from collections.abc import Callable

HEAD = "import math\nimport torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def lstm(s: int) -> str:
    v, e, h = ((30, 6, 8), (20, 5, 7), (25, 4, 10))[s]
    two = s == 1
    return (
        HEAD
        + f"""
class Classifier(nn.Module):
    def __init__(self, vocab_size={v}, embed_dim={e}, hidden_dim={h}, classes=3):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=0)
        self.lstm = nn.LSTM(embed_dim, hidden_dim, num_layers=2, batch_first=True, bidirectional={two}, dropout=0.1)
        self.fc = nn.Linear(hidden_dim{" * 2" if two else ""}, classes)
    def forward(self, tokens):
        embedded = self.embedding(tokens)
        output, (hidden, cell) = self.lstm(embedded)
        {"last = torch.cat([hidden[-2], hidden[-1]], dim=1)" if two else "last = output[:, -1, :]" if s == 0 else "last = hidden[-1]"}
        return self.fc(last)
model = Classifier()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters())
tokens = torch.randint(1, {v}, (6, 9))
labels = torch.randint(0, 3, (6,))
for epoch in range(2):
    logits = model(tokens)
    loss = criterion(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    accuracy = (logits.argmax(dim=1) == labels).float().mean()
    print(loss.item(), accuracy.item())
"""
    )


def gru(s: int) -> str:
    return (
        HEAD
        + f"""
class CharModel(nn.Module):
    def __init__(self, vocab={20 + s}, hidden={8 + s}, layers=2):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.encoder = nn.Embedding(vocab, hidden)
        self.gru = nn.GRU(hidden, hidden, layers)
        self.decoder = nn.Linear(hidden, vocab)
    def forward(self, x, h):
        emb = self.encoder(x)
        out, h = self.gru(emb, h)
        return self.decoder(out.view(-1, self.hidden)), h
    def init_hidden(self, batch):
        return torch.zeros(self.layers, batch, self.hidden)
model = CharModel()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
text = torch.randint(0, {20 + s}, (13, 4))
hidden = model.init_hidden(4)
for i in range(0, text.size(0) - 1, 6):
    data, target = text[i : i + 6], text[i + 1 : i + 7].reshape(-1)
    hidden = hidden.detach()
    output, hidden = model(data, hidden)
    loss = F.cross_entropy(output, target)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    optimizer.step()
print(loss.item())
"""
    )


def seq2seq(s: int) -> str:
    kind = ("GRU", "LSTM", "GRU")[s]
    return (
        HEAD
        + f"""
class Encoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb)
        self.rnn = nn.{kind}(emb, hid)
    def forward(self, src):
        outputs, hidden = self.rnn(self.embedding(src))
        return outputs, hidden
class Attention(nn.Module):
    def __init__(self, hid):
        super().__init__()
        self.attn = nn.Linear(hid * 2, hid)
        self.v = nn.Linear(hid, 1, bias=False)
    def forward(self, hidden, outputs):
        length = outputs.shape[0]
        hidden = hidden.unsqueeze(1).repeat(1, length, 1)
        outputs = outputs.permute(1, 0, 2)
        energy = torch.tanh(self.attn(torch.cat((hidden, outputs), dim=2)))
        return F.softmax(self.v(energy).squeeze(2), dim=1)
class Decoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb)
        self.attention = Attention(hid)
        self.rnn = nn.{kind}(emb + hid, hid)
        self.out = nn.Linear(hid * 2 + emb, vocab)
    def forward(self, token, hidden, outputs):
        embedded = self.embedding(token.unsqueeze(0))
        a = self.attention(hidden{"[0]" if kind == "LSTM" else ""}[-1], outputs).unsqueeze(1)
        weighted = torch.bmm(a, outputs.permute(1, 0, 2)).permute(1, 0, 2)
        output, hidden = self.rnn(torch.cat((embedded, weighted), dim=2), hidden)
        logits = self.out(torch.cat((output.squeeze(0), weighted.squeeze(0), embedded.squeeze(0)), dim=1))
        return logits, hidden
class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, vocab):
        super().__init__()
        self.encoder, self.decoder, self.vocab = encoder, decoder, vocab
    def forward(self, src, trg, teacher=0.5):
        steps, batch = trg.shape
        result = torch.zeros(steps, batch, self.vocab)
        outputs, hidden = self.encoder(src)
        token = trg[0]
        for t in range(1, steps):
            logits, hidden = self.decoder(token, hidden, outputs)
            result[t] = logits
            token = trg[t] if torch.rand(1).item() < teacher else logits.argmax(1)
        return result
model = Seq2Seq(Encoder({11 + s}, 5, 6), Decoder({12 + s}, 4, 6), {12 + s})
opt = torch.optim.Adam(model.parameters())
src, trg = torch.randint(0, {11 + s}, (7, 3)), torch.randint(0, {12 + s}, (5, 3))
for _ in range(2):
    output = model(src, trg)
    loss = F.cross_entropy(output[1:].view(-1, output.shape[-1]), trg[1:].view(-1), ignore_index=0)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
"""
    )


def dqn(s: int) -> str:
    return (
        HEAD
        + f"""
import random
from collections import deque
class DQN(nn.Module):
    def __init__(self, n_observations={4 + s}, n_actions=2):
        super().__init__()
        self.layer1 = nn.Linear(n_observations, 16)
        self.layer2 = nn.Linear(16, 16)
        self.layer3 = nn.Linear(16, n_actions)
    def forward(self, x):
        x = F.relu(self.layer1(x))
        x = F.relu(self.layer2(x))
        return self.layer3(x)
policy_net, target_net = DQN(), DQN()
target_net.load_state_dict(policy_net.state_dict())
optimizer = torch.optim.AdamW(policy_net.parameters(), lr=1e-3)
memory = deque([], maxlen=100)
for _ in range(20):
    memory.append((torch.randn(1, {4 + s}), torch.tensor([[random.randrange(2)]]), torch.randn(1, {4 + s}), torch.tensor([1.0])))
for step in range(2):
    state, action, next_state, reward = zip(*random.sample(memory, 8))
    state_batch, action_batch = torch.cat(state), torch.cat(action)
    reward_batch, next_batch = torch.cat(reward), torch.cat(next_state)
    values = policy_net(state_batch).gather(1, action_batch)
    with torch.no_grad():
        next_values = target_net(next_batch).max(1).values
    expected = (next_values * 0.99) + reward_batch
    loss = nn.SmoothL1Loss()(values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    target_state, policy_state = target_net.state_dict(), policy_net.state_dict()
    for key in policy_state:
        target_state[key] = policy_state[key] * 0.005 + target_state[key] * 0.995
    target_net.load_state_dict(target_state)
"""
    )


def graph(s: int) -> str:
    return (
        HEAD
        + f"""
class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        self.bias = nn.Parameter(torch.zeros(out_features))
        nn.init.xavier_uniform_(self.weight)
    def forward(self, x, adj):
        support = torch.mm(x, self.weight)
        return torch.mm(adj, support) + self.bias
class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout=0.5):
        super().__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.gc2 = GraphConvolution(nhid, nclass)
        self.dropout = dropout
    def forward(self, x, adj):
        x = F.relu(self.gc1(x, adj))
        x = F.dropout(x, self.dropout, training=self.training)
        x = self.gc2(x, adj)
        return F.log_softmax(x, dim=1)
n, f, c = {9 + s}, 6, 3
features = torch.randn(n, f)
adj = (torch.rand(n, n) > 0.5).float() + torch.eye(n)
adj = adj / adj.sum(1, keepdim=True)
labels = torch.randint(0, c, (n,))
idx_train = torch.arange(5)
model = GCN(f, 8, c)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
for epoch in range(2):
    model.train()
    optimizer.zero_grad()
    output = model(features, adj)
    loss = F.nll_loss(output[idx_train], labels[idx_train])
    loss.backward()
    optimizer.step()
model.eval()
print((model(features, adj).max(1)[1] == labels).double().sum().item() / n)
"""
    )


def textcnn(s: int) -> str:
    return (
        HEAD
        + f"""
class TextCNN(nn.Module):
    def __init__(self, vocab={25 + s}, embed_dim=6, kernels=(2, 3, 4), num=5, classes=4):
        super().__init__()
        self.embed = nn.Embedding(vocab, embed_dim)
        self.convs = nn.ModuleList([nn.{"Conv1d(embed_dim, num, k)" if s else "Conv2d(1, num, (k, embed_dim))"} for k in kernels])
        self.dropout = nn.Dropout(0.5)
        self.fc = nn.Linear(len(kernels) * num, classes)
    def forward(self, x):
        x = self.embed(x).{"transpose(1, 2)" if s else "unsqueeze(1)"}
        {"x = [F.relu(conv(x)) for conv in self.convs]" if s else "x = [F.relu(conv(x)).squeeze(3) for conv in self.convs]"}
        x = [F.max_pool1d(i, i.size(2)).squeeze(2) for i in x]
        x = self.dropout(torch.cat(x, 1))
        return self.fc(x)
model = TextCNN()
optimizer = torch.optim.Adadelta(model.parameters())
x, y = torch.randint(0, {25 + s}, (6, 10)), torch.randint(0, 4, (6,))
for _ in range(2):
    logit = model(x)
    loss = F.cross_entropy(logit, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    corrects = (torch.max(logit, 1)[1].view(y.size()) == y).sum()
    print(loss.item(), 100.0 * corrects.item() / len(y))
"""
    )


def recommender(s: int) -> str:
    return (
        HEAD
        + f"""
class NCF(nn.Module):
    def __init__(self, users={12 + s}, items={15 + s}, factor=4, layers=2):
        super().__init__()
        self.user_gmf, self.item_gmf = nn.Embedding(users, factor), nn.Embedding(items, factor)
        width = factor * 2 ** (layers - 1)
        self.user_mlp, self.item_mlp = nn.Embedding(users, width), nn.Embedding(items, width)
        modules = []
        for i in range(layers):
            size = factor * 2 ** (layers - i)
            modules.append(nn.Linear(size, size // 2))
            modules.append(nn.ReLU())
        self.mlp = nn.Sequential(*modules)
        self.predict = nn.Linear(factor * 2, 1)
    def forward(self, user, item):
        gmf = self.user_gmf(user) * self.item_gmf(item)
        interaction = torch.cat((self.user_mlp(user), self.item_mlp(item)), -1)
        concat = torch.cat((gmf, self.mlp(interaction)), -1)
        return self.predict(concat).view(-1)
model = NCF()
loss_function = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
user, item, label = torch.randint(0, {12 + s}, (8,)), torch.randint(0, {15 + s}, (8,)), torch.randint(0, 2, (8,)).float()
for _ in range(2):
    model.zero_grad()
    prediction = model(user, item)
    loss = loss_function(prediction, label)
    loss.backward()
    optimizer.step()
_, indices = torch.topk(prediction, 3)
print(torch.take(item, indices).tolist())
"""
    )


FAMILIES: dict[str, Callable[[int], str]] = {
    "lstm": lstm,
    "gru": gru,
    "seq2seq": seq2seq,
    "dqn": dqn,
    "graph": graph,
    "textcnn": textcnn,
    "recommender": recommender,
}
