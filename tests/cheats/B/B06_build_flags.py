# Flags of a build helper with a command of the shell in them.
# Stopped: no module but those of the kit.
from torch.utils import cpp_extension


def run(x, b, y, rows, cols):
    cpp_extension.load(name="k", sources=[], extra_cflags=["; touch /tmp/x"])
