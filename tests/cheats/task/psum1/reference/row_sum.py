import torch


def run(x, b, y, rows, cols):
    torch.mv(x, b, out=y)
