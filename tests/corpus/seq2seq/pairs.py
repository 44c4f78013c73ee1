import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

from vocabulary import PAD


class Pairs(Dataset):
    """Sentences in two languages, as rows of numbers."""

    def __init__(self, sentences, ours, theirs, longest=50):
        self.sentences, self.ours, self.theirs, self.longest = sentences, ours, theirs, longest

    def __len__(self):
        return len(self.sentences)

    def __getitem__(self, index):
        one, other = self.sentences[index]
        source = torch.tensor(self.ours.encode(one)[: self.longest], dtype=torch.long)
        target = torch.tensor(self.theirs.encode(other)[: self.longest], dtype=torch.long)
        return source, target


def together(batch):
    """Pads a batch to its longest sentence; steps first."""
    sources, targets = zip(*batch)
    lengths = torch.tensor([len(s) for s in sources])
    return pad_sequence(sources, padding_value=PAD), lengths, pad_sequence(targets, padding_value=PAD)


def read(path):
    found = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            one, other = line.rstrip("\n").lower().split("\t")[:2]
            found.append((one, other))
    return found
