"""A reference that waits for the device can not be captured: its host code runs inside of the window, and the
result says so."""
import torch


def run(x, w, rows, cols, a):
    y = x * (w * a).unsqueeze(1)
    torch.cuda.synchronize()
    return y
