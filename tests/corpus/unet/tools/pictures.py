import logging
from os import listdir
from os.path import isfile, join, splitext
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset


class MaskedPictures(Dataset):
    """Pictures and masks with equal names in two folders."""

    def __init__(self, pictures: str, masks: str, side: int = 256, suffix: str = "_mask"):
        self.pictures, self.masks = Path(pictures), Path(masks)
        self.side, self.suffix = side, suffix
        self.names = [splitext(name)[0] for name in listdir(pictures) if isfile(join(pictures, name)) and not name.startswith(".")]
        if not self.names:
            raise RuntimeError(f"{pictures} holds no picture")
        logging.info(f"{len(self.names)} pictures")

    def __len__(self):
        return len(self.names)

    @staticmethod
    def prepare(picture, side, is_mask):
        picture = picture.resize((side, side), resample=Image.NEAREST if is_mask else Image.BICUBIC)
        pixels = np.asarray(picture)
        if is_mask:
            return (pixels > 127).astype(np.int64)
        pixels = pixels.transpose((2, 0, 1))
        if (pixels > 1).any():
            pixels = pixels / 255.0
        return pixels

    def __getitem__(self, index):
        name = self.names[index]
        mask_files = list(self.masks.glob(name + self.suffix + ".*"))
        picture_files = list(self.pictures.glob(name + ".*"))
        assert len(picture_files) == 1, f"{name} is there {len(picture_files)} times"
        mask = Image.open(mask_files[0]).convert("L")
        picture = Image.open(picture_files[0]).convert("RGB")
        assert picture.size == mask.size, f"{name}: {picture.size} and {mask.size} differ"
        picture = self.prepare(picture, self.side, is_mask=False)
        mask = self.prepare(mask, self.side, is_mask=True)
        return {
            "picture": torch.as_tensor(picture.copy()).float().contiguous(),
            "mask": torch.as_tensor(mask.copy()).long().contiguous(),
        }
