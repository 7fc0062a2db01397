"""The implementation to beat: as users of PyTorch write it. It returns its output; it could also take z as a
parameter behind y and write to it."""
import torch


def run(x, y, n, a, b):
    return torch.add(a * x, y, alpha=b)
