"""Single edits that break the scripts: (script, file, old text, new text, the file and the line's text, or a code, where it must be found)."""

from __future__ import annotations

MUTANTS = [
    # the reader of digits
    ("mnist", "model.py", "2 * width * 11 * 11, 100", "2 * width * 12 * 12, 100", "h = self.drop(F.relu(self.dense(h)))"),
    ("mnist", "model.py", "nn.Conv2d(1, width, kernel_size=5)", "nn.Conv2d(3, width, kernel_size=5)", "h = F.relu(self.first(img))"),
    ("mnist", "model.py", "nn.BatchNorm2d(2 * width)", "nn.BatchNorm2d(width)", "h = F.relu(self.norm(self.second(h)))"),
    ("mnist", "train.py", "loss = F.nll_loss(scores, labels)", "loss = F.nll_loss(scores, labels.unsqueeze(1))", "loss = F.nll_loss(scores, labels.unsqueeze(1))"),
    ("mnist", "train.py", "loss = F.nll_loss(scores, labels)", "loss = F.nll_loss(scores, labels.float())", "loss = F.nll_loss(scores, labels.float())"),
    ("mnist", "data.py", "transforms.RandomCrop(28, padding=2)", "transforms.RandomCrop(26)", "h = self.drop(F.relu(self.dense(h)))"),
    ("mnist", "train.py", "scores = net(images)\n        loss", "scores = net(images.view(64, 1, 28, 28))\n        loss", "scores = net(images.view(64, 1, 28, 28))"),
    # the residual network
    ("resnet_cifar", "nets/residual.py", "self.head = nn.Linear(self.width, classes)", "self.head = nn.Linear(256, classes)", "return self.head(torch.flatten(self.pool(x), 1))"),
    ("resnet_cifar", "nets/blocks.py", "if stride != 1 or cin != cout:\n            self.skip", "if cin == cout:\n            self.skip", "y += self.skip(x)"),
    ("resnet_cifar", "nets/blocks.py", "conv(cin, width, 3, stride), nn.BatchNorm2d(width)", "conv(cin, width, 3, stride), nn.BatchNorm2d(cin)", "y = self.body(x)"),
    ("resnet_cifar", "helpers.py", "F.one_hot(labels, classes)", "F.one_hot(labels, classes + 1)", "loss = criterion(scores, soft)"),
    ("resnet_cifar", "helpers.py", "labels.view(1, -1).expand(max(ks), -1)", "labels.view(1, -1).expand(len(ks), -1)", None),
    ("resnet_cifar", "data.py", "MEAN, STD = (0.4914, 0.4822, 0.4465)", "MEAN, STD = (0.4914, 0.4822)", None),
    # the autoencoder
    ("vae", "model.py", "PIXELS = 28 * 28", "PIXELS = 28 * 27", None),
    ("vae", "model.py", "self.to_mean = nn.Linear(inner, latent)", "self.to_mean = nn.Linear(inner, latent + 1)", None),
    ("vae", "model.py", "def forward(self, code):\n        return torch.sigmoid(self.net(code))", "def forward(self, code):\n        return torch.sigmoid(self.net(code[:, 1:]))", "return torch.sigmoid(self.net(code[:, 1:]))"),
    ("vae", "main.py", "painted.view(len(images), 1, 28, 28)", "painted.view(len(images), 28, 28)", "rows = torch.cat([images[:shown], painted.view(len(images), 28, 28)[:shown]])"),
    ("vae", "main.py", "torch.linspace(0, 1, steps, device=self.device).unsqueeze(1)", "torch.linspace(0, 1, steps, device=self.device)", None),
    # painter and critic
    ("dcgan", "networks.py", "nn.Conv2d(width * 8, 1, 4, 1, 0, bias=False)", "nn.Conv2d(width * 4, 1, 4, 1, 0, bias=False)", "return self.layers(image).view(-1, 1).squeeze(1)"),
    ("dcgan", "networks.py", "rise(noise, width * 8, 1, 0)", "rise(noise, width * 8)", None),
    ("dcgan", "main.py", "torch.full((n,), REAL", "torch.full((opt.batchSize,), REAL", "on_real = criterion(verdict, wanted)"),
    ("dcgan", "main.py", "z = torch.randn(n, opt.noise, 1, 1, device=device)", "z = torch.randn(n, opt.noise, device=device)", None),
    ("dcgan", "pictures.py", "transforms.Resize(side), transforms.CenterCrop(side)", "transforms.Resize(side), transforms.CenterCrop(side // 2)", None),
    # the segmenter
    ("unet", "segment/parts.py", "torch.cat([skip, low], dim=1)", "torch.cat([skip, low], dim=0)", None),
    ("unet", "segment/parts.py", "self.convs = TwoConvs(cin, cout)", "self.convs = TwoConvs(cin // 2, cout)", "return self.layers(x)"),
    ("unet", "train.py", "loss = criterion(scores, masks)", "loss = criterion(scores, masks.unsqueeze(1))", "loss = criterion(scores, masks.unsqueeze(1))"),
    ("unet", "train.py", "F.one_hot(masks, net.classes).permute(0, 3, 1, 2).float()", "F.one_hot(masks, net.classes).float()", None),
    ("unet", "tools/pictures.py", 'Image.open(picture_files[0]).convert("RGB")', 'Image.open(picture_files[0]).convert("RGBA")', None),
    # the language model
    ("language_model", "model.py", "self.decoder = nn.Linear(hidden, words)", "self.decoder = nn.Linear(embed + 1, words)", "scores = self.decoder(self.drop(out)).view(-1, self.words)"),
    ("language_model", "model.py", "zeros = like.new_zeros(self.layers, columns, self.hidden)", "zeros = like.new_zeros(columns, self.layers, self.hidden)", "out, state = self.rnn(embedded, state)"),
    ("language_model", "text.py", "text[start + 1 : start + 1 + length].view(-1)", "text[start + 1 : start + 1 + length]", None),
    ("language_model", "text.py", "rows.append(torch.tensor(numbers).type(torch.int64))", "rows.append(torch.tensor(numbers).type(torch.float32))", "embedded = self.steady(self.encoder(tokens))"),
    ("language_model", "text.py", "row.view(columns, -1).t()", "row.view(columns + 1, -1).t()", None),
    # the translator
    ("seq2seq", "model.py", "self.rnn = nn.GRU(hidden * 2 + embed, hidden)", "self.rnn = nn.GRU(hidden + embed, hidden)", "output, last = self.rnn(torch.cat((embedded, seen), dim=2), state.unsqueeze(0))"),
    ("seq2seq", "model.py", "self.mix = nn.Linear(hidden * 3, hidden)", "self.mix = nn.Linear(hidden * 2, hidden)", "energy = torch.tanh(self.mix(torch.cat((query, read.permute(1, 0, 2)), dim=2)))"),
    ("seq2seq", "model.py", "last[-1, :, :]), dim=1)", "last[-1, :, :]), dim=0)", "return states, torch.tanh(self.join(both))"),
    ("seq2seq", "train.py", "view(-1, classes), target[1:].view(-1))", "view(-1, classes), target.view(-1))", "loss = criterion(said[1:].view(-1, classes), target.view(-1))"),
    ("seq2seq", "model.py", "return (source != self.pad).permute(1, 0)", "return source != self.pad", "scores = scores.masked_fill(mask == 0, -1e10)"),
    # the transformer
    ("gpt", "model.py", "nn.Linear(s.width, 3 * s.width, bias=s.bias)", "nn.Linear(s.width, 2 * s.width, bias=s.bias)", "q, k, v = self.project(x).split(self.width, dim=2)"),
    ("gpt", "model.py", "nn.Linear(4 * s.width, s.width, bias=s.bias)", "nn.Linear(3 * s.width, s.width, bias=s.bias)", "return self.drop(self.down(self.act(self.up(x))))"),
    ("gpt", "settings.py", "heads: int = 6", "heads: int = 5", "assert s.width % s.heads == 0"),
    ("gpt", "model.py", "targets.view(-1), ignore_index=-1", "targets, ignore_index=-1", None),
    ("gpt", "train.py", "text[i + 1 : i + 1 + length]", "text[i + 1 : i + length]", None),
]  # fmt: skip
