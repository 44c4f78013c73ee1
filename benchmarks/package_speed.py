"""What a cold check of a program costs whose model is read from a package's source, in units of `import torch` in the same run.

    python benchmarks/package_speed.py ENVIRONMENT [--python PYTHON] [--runs 5]

ENVIRONMENT is that of model_zoos.py; PYTHON has torch. Each side is a process of its own; what counts is its processor time, so that other work on the
machine matters little, and of several runs, in turn, the least. The programs train, or run, the model on data of the right shape and are proved.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

_RESNET = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchvision.models import resnet50

model = resnet50(num_classes=10)
data = TensorDataset(torch.randn(512, 3, 224, 224), torch.randint(0, 10, (512,)))
loader = DataLoader(data, batch_size=32, shuffle=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(90):
    model.train()
    for images, labels in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(images), labels)
        loss.backward()
        optimizer.step()
    scheduler.step()
    model.eval()
    correct = 0
    with torch.no_grad():
        for images, labels in loader:
            correct += (model(images).argmax(1) == labels).sum().item()
    print(epoch, correct / len(data))
"""
_VIT = """import timm
import torch

model = timm.create_model("vit_base_patch16_224", num_classes=10)
logits = model(torch.randn(8, 3, 224, 224))
torch.nn.functional.cross_entropy(logits, torch.randint(0, 10, (8,))).backward()
"""
_BERT = """import torch
from transformers import BertConfig, BertForSequenceClassification

model = BertForSequenceClassification(BertConfig(num_labels=3))
out = model(input_ids=torch.randint(0, 1000, (8, 32)), attention_mask=torch.ones(8, 32, dtype=torch.long), labels=torch.randint(0, 3, (8,)))
out.loss.backward()
"""
PROGRAMS = {"torchvision ResNet-50 trained": (_RESNET, 0.6), "timm ViT": (_VIT, 1.0), "transformers BERT": (_BERT, 1.5)}


def processor_time(command: list[str]) -> tuple[float, str]:
    """Seconds of a process of its own, and the last line that it printed."""
    with tempfile.TemporaryFile("w+") as printed:
        process = subprocess.Popen(command, stdout=printed, stderr=subprocess.DEVNULL)
        _, _, used = os.wait4(process.pid, 0)
        printed.seek(0)
        return used.ru_utime + used.ru_stime, printed.read().strip().rpartition("\n")[2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environment")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has torch")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    least: dict[str, float] = {}
    last: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        commands = {"import torch": [given.python, "-c", "import torch"]}
        for number, (name, (text, _)) in enumerate(PROGRAMS.items()):
            path = Path(folder) / f"program{number}.py"
            path.write_text(text)
            commands[name] = [sys.executable, "-m", "tensorproof", "check", str(path), "--python", given.environment]
        for _ in range(given.runs):
            for name, command in commands.items():
                seconds, last[name] = processor_time(command)
                least[name] = min(seconds, least.get(name, seconds))
    unit = least["import torch"]
    print(f"import torch: {unit:.2f} s of processor time\n\n| program | check | in units of import torch | target | answer |\n|---|---|---|---|---|")
    for name, (_, target) in PROGRAMS.items():
        print(f"| {name} | {least[name]:.2f} s | {least[name] / unit:.2f} | {target} | {last[name]} |")
    return int(any(least[name] / unit > target for name, (_, target) in PROGRAMS.items()))


if __name__ == "__main__":
    sys.exit(main())
