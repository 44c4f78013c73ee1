"""What is kept and told while the network learns."""

import os

import numpy as np
from tensorflow import keras


class ConfusionPrinter(keras.callbacks.Callback):
    """Which classes are taken for which, every few epochs."""

    def __init__(self, data, names, every=5):
        super().__init__()
        self.data = data
        self.names = names
        self.every = every

    def on_epoch_end(self, epoch, logs=None):
        logs = logs or {}
        if (epoch + 1) % self.every:
            return
        table = np.zeros((len(self.names), len(self.names)), dtype=int)
        for images, labels in self.data:
            guessed = np.argmax(self.model.predict_on_batch(images), axis=1)
            truth = np.argmax(labels.numpy(), axis=1)
            np.add.at(table, (truth, guessed), 1)
        print(f"epoch {epoch + 1}: val_loss {logs.get('val_loss', 0.0):.4f}")
        print(table)


def warm_up(epoch, lr):
    return lr * 0.95 if epoch > 3 else lr


def callbacks(opt, val, names):
    return [
        keras.callbacks.ModelCheckpoint(os.path.join(opt.out, "best.keras"), monitor="val_accuracy", save_best_only=True),
        keras.callbacks.EarlyStopping(monitor="val_loss", patience=4, restore_best_weights=True),
        keras.callbacks.ReduceLROnPlateau(monitor="val_loss", factor=0.3, patience=2, min_lr=1e-6),
        keras.callbacks.LearningRateScheduler(warm_up),
        keras.callbacks.TensorBoard(log_dir=os.path.join(opt.out, "logs")),
        ConfusionPrinter(val, names),
    ]
