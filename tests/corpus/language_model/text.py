"""Words as numbers, texts as long rows of them."""

import os

import torch


class Words(object):
    def __init__(self):
        self.number = {}
        self.word = []

    def add(self, word):
        if word not in self.number:
            self.number[word] = len(self.word)
            self.word.append(word)
        return self.number[word]

    def __len__(self):
        return len(self.word)


class Library(object):
    """The three texts of a folder, over one list of words."""

    def __init__(self, folder):
        self.words = Words()
        self.train, self.valid, self.test = (self._read(os.path.join(folder, part + ".txt")) for part in ("train", "valid", "test"))

    def _read(self, path):
        if not os.path.exists(path):
            raise FileNotFoundError(path)
        rows = []
        with open(path, "r", encoding="utf8") as lines:
            for line in lines:
                numbers = [self.words.add(word) for word in line.split() + ["<end>"]]
                rows.append(torch.tensor(numbers).type(torch.int64))
        return torch.cat(rows)


def in_columns(row, columns, device):
    """The text in columns side by side; what does not fill a line is cut off."""
    lines = row.size(0) // columns
    row = row.narrow(0, 0, lines * columns)
    return row.view(columns, -1).t().contiguous().to(device)


def piece(text, start, length):
    """Some lines of the columns and, flat, the words that follow each."""
    length = min(length, len(text) - 1 - start)
    return text[start : start + length], text[start + 1 : start + 1 + length].view(-1)
