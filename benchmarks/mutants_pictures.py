"""Families of models of pictures, each in three styles, with loops that train them."""

from __future__ import annotations

from collections.abc import Callable

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def training(net: str, data: str, target: str, loss: str = "nn.CrossEntropyLoss()", style: int = 0) -> str:
    """A training loop of one of three styles."""
    if style == 0:
        return f"""
from torch.utils.data import DataLoader, TensorDataset
model = {net}
loader = DataLoader(TensorDataset({data}, {target}), batch_size=4, shuffle=True)
criterion = {loss}
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    model.train()
    running = 0.0
    for inputs, labels in loader:
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()
        running += loss.item() * inputs.size(0)
    print(epoch, running / len(loader.dataset))
"""
    if style == 1:
        return f"""
def train_step(model, optimizer, x, y):
    model.train()
    optimizer.zero_grad(set_to_none=True)
    loss = {loss}(model(x), y)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.detach()
@torch.no_grad()
def evaluate(model, x, y):
    model.eval()
    return {loss}(model(x), y).item()
def main():
    torch.manual_seed(0)
    model = {net}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    x, y = {data}, {target}
    losses = []
    for step in range(2):
        losses.append(train_step(model, optimizer, x[:4], y[:4]))
        scheduler.step()
    print(torch.stack(losses).mean().item(), evaluate(model, x, y))
if __name__ == "__main__":
    main()
"""
    return f"""
net = {net}
x, y = {data}, {target}
opt = torch.optim.RMSprop(net.parameters(), lr=0.01)
for i in range(0, len(x), 5):
    batch, wanted = x[i : i + 5], y[i : i + 5]
    loss = {loss}(net(batch), wanted)
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    print(net(x[:2]).shape)
"""


def pictures(c: int, n: int, count: int = 10) -> str:
    return f"torch.randn({count}, {c}, {n}, {n})"


def labels(k: int, count: int = 10) -> str:
    return f"torch.randint(0, {k}, ({count},))"


def mlp(s: int) -> str:
    a, b, c = (8, 16, 4), (12, 20, 3), (6, 10, 5)
    n, h, k = (a, b, c)[s]
    body = """
class MLP(nn.Module):
    def __init__(self, inputs, hidden, classes, dropout=0.1):
        super().__init__()
        self.fc1 = nn.Linear(inputs, hidden)
        self.bn = nn.BatchNorm1d(hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.drop = nn.Dropout(dropout)
        self.head = nn.Linear(hidden, classes)
    def forward(self, x):
        x = x.view(x.size(0), -1)
        x = F.relu(self.bn(self.fc1(x)))
        x = self.drop(F.relu(self.fc2(x)))
        return self.head(x)
"""
    return HEAD + body + training(f"MLP({n}, {h}, {k})", f"torch.randn(10, {n})", labels(k), style=s)


def lenet(s: int) -> str:
    flat = ("x = x.view(-1, 16 * 5 * 5)", "x = torch.flatten(x, 1)", "x = x.reshape(x.shape[0], 400)")[s]
    body = f"""
class LeNet(nn.Module):
    def __init__(self):
        super(LeNet, self).__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)
    def forward(self, x):
        x = F.max_pool2d(torch.tanh(self.conv1(x)), 2)
        x = F.max_pool2d(torch.tanh(self.conv2(x)), (2, 2))
        {flat}
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)
"""
    return HEAD + body + training("LeNet()", pictures(1, 28), labels(10), style=s)


def alexnet(s: int) -> str:
    body = """
class AlexNet(nn.Module):
    def __init__(self, num_classes=10, width=8):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, width, kernel_size=5, stride=2, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(kernel_size=3, stride=2),
            nn.Conv2d(width, width * 3, kernel_size=5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(kernel_size=3, stride=2),
            nn.Conv2d(width * 3, width * 2, kernel_size=3, padding=1), nn.ReLU(inplace=True),
        )
        self.avgpool = nn.AdaptiveAvgPool2d((2, 2))
        self.classifier = nn.Sequential(nn.Dropout(0.5), nn.Linear(width * 2 * 2 * 2, 32), nn.ReLU(inplace=True), nn.Linear(32, num_classes))
    def forward(self, x):
        x = self.features(x)
        x = self.avgpool(x)
        x = torch.flatten(x, 1)
        return self.classifier(x)
"""
    return HEAD + body + training(f"AlexNet(num_classes={5 + s})", pictures(3, 32 + 8 * s), labels(5 + s), style=s)


def vgg(s: int) -> str:
    cfg = ('[8, "M", 16, "M"]', '[4, 4, "M", 8, 8, "M"]', '[6, "M", 12, 12, "M", 24, "M"]')[s]
    size = (16, 16, 24)[s]
    out = (16 * 4 * 4, 8 * 4 * 4, 24 * 3 * 3)[s]
    body = f"""
def make_layers(cfg, batch_norm=False):
    layers = []
    in_channels = 3
    for v in cfg:
        if v == "M":
            layers += [nn.MaxPool2d(kernel_size=2, stride=2)]
        else:
            conv2d = nn.Conv2d(in_channels, v, kernel_size=3, padding=1)
            if batch_norm:
                layers += [conv2d, nn.BatchNorm2d(v), nn.ReLU(inplace=True)]
            else:
                layers += [conv2d, nn.ReLU(inplace=True)]
            in_channels = v
    return nn.Sequential(*layers)
class VGG(nn.Module):
    def __init__(self, features, num_classes=7):
        super().__init__()
        self.features = features
        self.classifier = nn.Sequential(nn.Linear({out}, 32), nn.ReLU(True), nn.Dropout(), nn.Linear(32, num_classes))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
                nn.init.constant_(m.bias, 0)
    def forward(self, x):
        x = self.features(x)
        x = x.view(x.size(0), -1)
        return self.classifier(x)
"""
    return HEAD + body + training(f"VGG(make_layers({cfg}, batch_norm={s == 1}))", pictures(3, size), labels(7), style=s)


def resnet(s: int) -> str:
    body = """
def conv3x3(in_planes, out_planes, stride=1):
    return nn.Conv2d(in_planes, out_planes, kernel_size=3, stride=stride, padding=1, bias=False)
class BasicBlock(nn.Module):
    expansion = 1
    def __init__(self, in_planes, planes, stride=1):
        super().__init__()
        self.conv1 = conv3x3(in_planes, planes, stride)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = nn.BatchNorm2d(planes)
        self.shortcut = nn.Sequential()
        if stride != 1 or in_planes != self.expansion * planes:
            self.shortcut = nn.Sequential(nn.Conv2d(in_planes, self.expansion * planes, kernel_size=1, stride=stride, bias=False), nn.BatchNorm2d(self.expansion * planes))
    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        return F.relu(out)
class ResNet(nn.Module):
    def __init__(self, block, num_blocks, num_classes=10):
        super().__init__()
        self.in_planes = 8
        self.conv1 = conv3x3(3, 8)
        self.bn1 = nn.BatchNorm2d(8)
        self.layer1 = self._make_layer(block, 8, num_blocks[0], stride=1)
        self.layer2 = self._make_layer(block, 16, num_blocks[1], stride=2)
        self.linear = nn.Linear(16 * block.expansion, num_classes)
    def _make_layer(self, block, planes, num_blocks, stride):
        strides = [stride] + [1] * (num_blocks - 1)
        layers = []
        for stride in strides:
            layers.append(block(self.in_planes, planes, stride))
            self.in_planes = planes * block.expansion
        return nn.Sequential(*layers)
    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.layer1(out)
        out = self.layer2(out)
        out = F.avg_pool2d(out, 8)
        out = out.view(out.size(0), -1)
        return self.linear(out)
"""
    return HEAD + body + training(f"ResNet(BasicBlock, [{1 + s}, 2])", pictures(3, 16), labels(10), style=s)


def densenet(s: int) -> str:
    body = """
class DenseLayer(nn.Module):
    def __init__(self, channels, growth):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)
        self.conv = nn.Conv2d(channels, growth, kernel_size=3, padding=1)
    def forward(self, x):
        return torch.cat([x, self.conv(F.relu(self.norm(x)))], dim=1)
class DenseNet(nn.Module):
    def __init__(self, growth=4, layers=(2, 3), classes=6):
        super().__init__()
        channels = 2 * growth
        self.stem = nn.Conv2d(3, channels, 3, padding=1)
        blocks = []
        for i, count in enumerate(layers):
            for _ in range(count):
                blocks.append(DenseLayer(channels, growth))
                channels += growth
            if i != len(layers) - 1:
                blocks.append(nn.Sequential(nn.BatchNorm2d(channels), nn.Conv2d(channels, channels // 2, 1), nn.AvgPool2d(2)))
                channels = channels // 2
        self.blocks = nn.Sequential(*blocks)
        self.norm = nn.BatchNorm2d(channels)
        self.head = nn.Linear(channels, classes)
    def forward(self, x):
        x = self.norm(self.blocks(self.stem(x)))
        x = F.adaptive_avg_pool2d(F.relu(x), 1).flatten(1)
        return self.head(x)
"""
    return HEAD + body + training(f"DenseNet(growth={4 + 2 * s})", pictures(3, 12), labels(6), style=s)


def mobilenet(s: int) -> str:
    body = """
class InvertedResidual(nn.Module):
    def __init__(self, inp, oup, stride, expand):
        super().__init__()
        hidden = inp * expand
        self.use_res = stride == 1 and inp == oup
        self.conv = nn.Sequential(
            nn.Conv2d(inp, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(inplace=True),
            nn.Conv2d(hidden, hidden, 3, stride, 1, groups=hidden, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(inplace=True),
            nn.Conv2d(hidden, oup, 1, bias=False), nn.BatchNorm2d(oup),
        )
    def forward(self, x):
        if self.use_res:
            return x + self.conv(x)
        return self.conv(x)
class MobileNet(nn.Module):
    def __init__(self, setting, classes=5):
        super().__init__()
        layers = [nn.Conv2d(3, 8, 3, 2, 1)]
        width = 8
        for expand, out, repeat, stride in setting:
            for i in range(repeat):
                layers.append(InvertedResidual(width, out, stride if i == 0 else 1, expand))
                width = out
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(width, classes)
    def forward(self, x):
        x = self.features(x)
        x = x.mean([2, 3])
        return self.classifier(x)
"""
    setting = ("[(1, 8, 1, 1), (2, 12, 2, 2)]", "[(2, 8, 2, 1), (3, 16, 1, 2)]", "[(1, 6, 1, 1), (2, 6, 2, 1), (2, 10, 1, 2)]")[s]
    return HEAD + body + training(f"MobileNet({setting})", pictures(3, 16), labels(5), style=s)


def unet(s: int) -> str:
    up = (
        "nn.ConvTranspose2d(w * 2, w, kernel_size=2, stride=2)",
        'nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2d(w * 2, w, 1))',
        "nn.ConvTranspose2d(w * 2, w, 4, 2, 1)",
    )[s]
    body = f"""
class DoubleConv(nn.Module):
    def __init__(self, in_ch, out_ch):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(in_ch, out_ch, 3, padding=1), nn.BatchNorm2d(out_ch), nn.ReLU(inplace=True), nn.Conv2d(out_ch, out_ch, 3, padding=1), nn.ReLU(inplace=True))
    def forward(self, x):
        return self.net(x)
class UNet(nn.Module):
    def __init__(self, channels=3, classes=2, w=4):
        super().__init__()
        self.inc = DoubleConv(channels, w)
        self.down = nn.MaxPool2d(2)
        self.mid = DoubleConv(w, w * 2)
        self.up = {up}
        self.dec = DoubleConv(w * 2, w)
        self.outc = nn.Conv2d(w, classes, kernel_size=1)
    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.mid(self.down(x1))
        x = self.up(x2)
        x = torch.cat([x1, x], dim=1)
        x = self.dec(x)
        return self.outc(x)
"""
    return HEAD + body + training("UNet()", pictures(3, 16), "torch.randint(0, 2, (10, 16, 16))", style=s)


FAMILIES: dict[str, Callable[[int], str]] = {
    "mlp": mlp,
    "lenet": lenet,
    "alexnet": alexnet,
    "vgg": vgg,
    "resnet": resnet,
    "densenet": densenet,
    "mobilenet": mobilenet,
    "unet": unet,
}
