"""Command line of the image classifier."""

import argparse


def parse(argv=None):
    parser = argparse.ArgumentParser(description="Teach a network to tell pictures apart, then fine-tune it.")
    parser.add_argument("--data", default="pictures", help="a folder with one folder of pictures for each class")
    parser.add_argument("--side", type=int, default=128, help="pictures are scaled to side x side")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--fine-tune-epochs", type=int, default=5)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--dropout", type=float, default=0.3)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1337)
    parser.add_argument("--smoothing", type=float, default=0.1, help="label smoothing")
    parser.add_argument("--out", default="runs/latest")
    parser.add_argument("--mixed", action="store_true", help="compute in float16")
    return parser.parse_args(argv)
