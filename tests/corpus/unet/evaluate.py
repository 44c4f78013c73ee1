import torch
import torch.nn.functional as F
from tqdm import tqdm

from tools.dice import overlap, overlap_of_classes


@torch.inference_mode()
def evaluate(net, batches, device, amp):
    net.eval()
    score = 0
    with torch.autocast(device.type if device.type != "mps" else "cpu", enabled=amp):
        for batch in tqdm(batches, total=len(batches), desc="held out", leave=False):
            pictures = batch["picture"].to(device=device, dtype=torch.float32, memory_format=torch.channels_last)
            truth = batch["mask"].to(device=device, dtype=torch.long)
            guess = net(pictures)
            if net.classes == 1:
                assert truth.min() >= 0 and truth.max() <= 1, "a mask of one class holds zeros and ones"
                guess = (F.sigmoid(guess) > 0.5).float()
                score += overlap(guess.squeeze(1), truth.float())
            else:
                truth = F.one_hot(truth, net.classes).permute(0, 3, 1, 2).float()
                guess = F.one_hot(guess.argmax(dim=1), net.classes).permute(0, 3, 1, 2).float()
                # the background does not count
                score += overlap_of_classes(guess[:, 1:], truth[:, 1:])
    net.train()
    return score / max(len(batches), 1)
