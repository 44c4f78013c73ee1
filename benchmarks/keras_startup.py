"""A cold `tensorproof check` of a Keras MNIST program against `python -c "import tensorflow"`: best of 5 each, in one run.

TensorFlow need not be installed beside Tensorproof: `--tensorflow PYTHON` names an interpreter that has it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from startup import best

PROGRAM = '''import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

(x_train, y_train), (x_test, y_test) = keras.datasets.mnist.load_data()
x_train = x_train.reshape(-1, 28, 28, 1).astype("float32") / 255.0
x_test = x_test.reshape(-1, 28, 28, 1).astype("float32") / 255.0
y_train, y_test = keras.utils.to_categorical(y_train, 10), keras.utils.to_categorical(y_test, 10)
model = keras.Sequential([
    keras.Input(shape=(28, 28, 1)),
    layers.Conv2D(32, kernel_size=(3, 3), activation="relu"),
    layers.MaxPooling2D(pool_size=(2, 2)),
    layers.Conv2D(64, kernel_size=(3, 3), activation="relu"),
    layers.MaxPooling2D(pool_size=(2, 2)),
    layers.Flatten(),
    layers.Dropout(0.5),
    layers.Dense(10, activation="softmax"),
])
model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
model.fit(x_train, y_train, batch_size=128, epochs=15, validation_split=0.1)
loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
print("accuracy", accuracy)
'''


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tensorflow", default=sys.executable, metavar="PYTHON")
    other = parser.parse_args().tensorflow
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.py"
        path.write_text(PROGRAM, encoding="utf-8")
        command = [sys.executable, "-m", "tensorproof", "check", str(path)]
        last_line = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip().splitlines()[-1]
        ours = best(command, 5)
        theirs = best([other, "-c", "import tensorflow"], 5)
    print("| what | asked | measured |\n|---|---|---|")
    print(f"| cold check of a Keras MNIST program, best of 5 | | {ours:.3f} s ({last_line}) |")
    print(f'| python -c "import tensorflow", best of 5 | | {theirs:.3f} s |')
    print(f"| ratio | ≤ 0.1 | {ours / theirs:.3f} |")
    return int(ours > 0.1 * theirs or "1 path proved" not in last_line)


if __name__ == "__main__":
    sys.exit(main())
