import argparse


def parse():
    parser = argparse.ArgumentParser(description="Sentiment of film reviews")
    parser.add_argument("--vocab-size", type=int, default=10000)
    parser.add_argument("--embedding-size", type=int, default=64)
    parser.add_argument("--hidden-size", type=int, default=128)
    parser.add_argument("--num-layers", type=int, default=2)
    parser.add_argument("--max-length", type=int, default=200)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--keep-prob", type=float, default=0.8)
    parser.add_argument("--max-grad-norm", type=float, default=5.0)
    parser.add_argument("--cell", choices=["lstm", "gru"], default="lstm")
    return parser.parse_args()
