from collections import Counter

PAD, START, STOP, OTHER = range(4)


class Vocabulary:
    """Words that occur often enough, and their numbers."""

    def __init__(self, sentences, least=2):
        counts = Counter(word for sentence in sentences for word in sentence.split())
        self.words = ["<pad>", "<start>", "<stop>", "<other>"] + sorted(w for w, c in counts.items() if c >= least)
        self.numbers = {w: i for i, w in enumerate(self.words)}

    def __len__(self):
        return len(self.words)

    def encode(self, sentence):
        return [START] + [self.numbers.get(w, OTHER) for w in sentence.split()] + [STOP]

    def decode(self, numbers):
        said = []
        for i in numbers:
            if i == STOP:
                break
            said.append(self.words[i])
        return " ".join(said)
