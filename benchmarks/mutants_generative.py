"""Families of generative models and of models of pairs."""

from __future__ import annotations

from collections.abc import Callable

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def gan(s: int) -> str:
    ups = "".join(
        f"            nn.ConvTranspose2d({a}, {b}, 4, 2, 1, bias=False), nn.BatchNorm2d({b}), nn.ReLU(True),\n" for a, b in [(16, 8), (8, 8)][: 1 + (s == 1)]
    )
    downs = "".join(f"            nn.Conv2d({a}, {b}, 4, 2, 1), nn.LeakyReLU(0.2, inplace=True),\n" for a, b in [(8, 16), (16, 16)][: 1 + (s == 1)])
    return (
        HEAD
        + f"""
nz = 5
class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, 16, 4, 1, 0, bias=False), nn.BatchNorm2d(16), nn.ReLU(True),
{ups if s == 1 else ""}            nn.ConvTranspose2d({8 if s == 1 else 16}, 3, {3 if s == 1 else 4}, {1 if s == 1 else 2}, 1), nn.Tanh(),
        )
    def forward(self, z):
        return self.main(z)
class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(3, 8, 4, 2, 1), nn.LeakyReLU(0.2, inplace=True),
{downs if s == 1 else ""}            nn.Flatten(), nn.Linear({16 if s == 1 else 8 * 4 * 4}, 1), nn.Sigmoid(),
        )
    def forward(self, x):
        return self.main(x).view(-1)
netG, netD = Generator(), Discriminator()
criterion = nn.BCELoss()
optD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
optG = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))
data = torch.randn(6, 3, 8, 8)
for step in range(2):
    real = data[step * 3 : step * 3 + 3]
    netD.zero_grad()
    label = torch.full((real.size(0),), 1.0)
    errD_real = criterion(netD(real), label)
    errD_real.backward()
    fake = netG(torch.randn(real.size(0), nz, 1, 1))
    label.fill_(0.0)
    errD_fake = criterion(netD(fake{"[:, :, :8, :8]" if s == 1 else ""}.detach()), label)
    errD_fake.backward()
    optD.step()
    netG.zero_grad()
    label.fill_(1.0)
    errG = criterion(netD(fake{"[:, :, :8, :8]" if s == 1 else ""}), label)
    errG.backward()
    optG.step()
    print((errD_real + errD_fake).item(), errG.item())
"""
    )


def vae(s: int) -> str:
    n, h, z = ((16, 12, 3), (20, 8, 2), (9, 10, 4))[s]
    return (
        HEAD
        + f"""
class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear({n}, {h})
        self.fc21 = nn.Linear({h}, {z})
        self.fc22 = nn.Linear({h}, {z})
        self.fc3 = nn.Linear({z}, {h})
        self.fc4 = nn.Linear({h}, {n})
    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)
    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std
    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))
    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, {n}))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar
def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, {n}), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    data = torch.rand(5, {n})
    optimizer.zero_grad()
    recon, mu, logvar = model(data)
    loss = loss_function(recon, data, mu, logvar)
    loss.backward()
    optimizer.step()
with torch.no_grad():
    print(model.decode(torch.randn(4, {z})).view(4, {n}).shape)
"""
    )


def siamese(s: int) -> str:
    return (
        HEAD
        + f"""
class Embedder(nn.Module):
    def __init__(self, dim={8 + 4 * s}):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 8, 3), nn.ReLU())
        self.fc = nn.Linear(8 * 4 * 4, dim)
    def forward(self, x):
        x = self.conv(x)
        x = x.view(x.size(0), -1)
        return F.normalize(self.fc(x), dim=1)
class Siamese(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
    def forward(self, a, b):
        return self.net(a), self.net(b)
def contrastive(x1, x2, same, margin=1.0):
    dist = F.pairwise_distance(x1, x2)
    return (same * dist.pow(2) + (1 - same) * F.relu(margin - dist).pow(2)).mean()
model = Siamese(Embedder())
opt = torch.optim.SGD(model.parameters(), lr=0.1)
a, b, same = torch.randn(6, 1, 14, 14), torch.randn(6, 1, 14, 14), torch.randint(0, 2, (6,)).float()
for _ in range(2):
    e1, e2 = model(a, b)
    loss = contrastive(e1, e2, same)
    opt.zero_grad()
    loss.backward()
    opt.step()
print((e1 @ e2.t()).shape)
"""
    )


def diffusion(s: int) -> str:
    return (
        HEAD
        + f"""
import math
T = {10 + 5 * s}
betas = torch.linspace(1e-4, 0.02, T)
alphas = 1.0 - betas
alphas_bar = torch.cumprod(alphas, dim=0)
class TimeEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.mlp = nn.Sequential(nn.Linear(dim, dim * 2), nn.SiLU(), nn.Linear(dim * 2, dim))
    def forward(self, t):
        half = self.dim // 2
        freqs = torch.exp(-math.log(10000) * torch.arange(half) / (half - 1))
        args = t[:, None].float() * freqs[None, :]
        return self.mlp(torch.cat([args.sin(), args.cos()], dim=-1))
class Block(nn.Module):
    def __init__(self, in_ch, out_ch, time_dim):
        super().__init__()
        self.conv1 = nn.Conv2d(in_ch, out_ch, 3, padding=1)
        self.time = nn.Linear(time_dim, out_ch)
        self.norm = nn.GroupNorm(2, out_ch)
        self.conv2 = nn.Conv2d(out_ch, out_ch, 3, padding=1)
    def forward(self, x, t):
        h = F.silu(self.conv1(x))
        h = h + self.time(t)[:, :, None, None]
        return F.silu(self.conv2(self.norm(h)))
class DiffusionUNet(nn.Module):
    def __init__(self, w=4, time_dim=8):
        super().__init__()
        self.emb = TimeEmbedding(time_dim)
        self.down = Block(3, w, time_dim)
        self.mid = Block(w, w * 2, time_dim)
        self.up = nn.ConvTranspose2d(w * 2, w, 2, 2)
        self.dec = Block(w * 2, w, time_dim)
        self.out = nn.Conv2d(w, 3, 1)
    def forward(self, x, t):
        t = self.emb(t)
        d = self.down(x, t)
        m = self.mid(F.max_pool2d(d, 2), t)
        u = torch.cat([self.up(m), d], dim=1)
        return self.out(self.dec(u, t))
model = DiffusionUNet()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(2):
    x0 = torch.randn(3, 3, 8, 8)
    t = torch.randint(0, T, (x0.shape[0],))
    noise = torch.randn_like(x0)
    ab = alphas_bar[t].view(-1, 1, 1, 1)
    xt = ab.sqrt() * x0 + (1 - ab).sqrt() * noise
    loss = F.mse_loss(model(xt, t), noise)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
"""
    )


FAMILIES: dict[str, Callable[[int], str]] = {"gan": gan, "vae": vae, "siamese": siamese, "diffusion": diffusion}
