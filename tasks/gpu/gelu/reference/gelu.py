import torch.nn.functional as F


def run(x, rows, cols):
    return F.gelu(x)
