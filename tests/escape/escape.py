"""A candidate that makes one attempt when it is loaded: attempts.so beside it, the scene in its folder."""
import ctypes
import mmap
import os

HOME = os.environ["HOME"]
REPORT_BYTES = 4 + 160
MARK_AT = 8 + 33
PR_SET_NAME = 15


def attempt(report):
    with open(f"{HOME}/scene", "rb") as f:
        scene = ctypes.create_string_buffer(f.read())
    mark = scene.raw[MARK_AT:MARK_AT + 15]
    ctypes.CDLL(None).prctl(PR_SET_NAME, ctypes.c_char_p(mark), 0, 0, 0)
    library = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "attempts.so"))
    library.forge_entry((ctypes.c_void_p * 2)(ctypes.addressof(scene), report))


shared = mmap.mmap(-1, 4096)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)  # a row may signal its whole group
    attempt(ctypes.addressof(ctypes.c_char.from_buffer(shared)))
    os._exit(0)
os.waitpid(child, 0)
if shared[:REPORT_BYTES].strip(b"\0"):
    with open(f"{HOME}/report.part", "wb") as f:
        f.write(shared[:REPORT_BYTES])
    os.rename(f"{HOME}/report.part", f"{HOME}/report")


def run(x):
    raise AssertionError("never called")
