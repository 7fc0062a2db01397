import torch
import torch.nn.functional as F


# Tensors of PyTorch with its memory format channels_last.
def run(x, w, batch, height, width, inputs, outputs):
    y = F.conv2d(x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2), padding=1)
    return y.permute(0, 2, 3, 1)
