"""Static screens of a Python kernel, by its syntax tree: python3 -I screen.py SOURCE ROLE PARAMETER...

They are filters: they refuse what an author writes plainly, early and by name. What holds is where the
module runs: a process without the other side, without the clock, called once while its launches are
recorded. Nothing of SOURCE is executed here.

A PARAMETER is an argument of the task, with ":out" behind the name of one that is written only.
Prints one JSON object: {"rule": NAME, "detail": TEXT} of the first objection (src/build/screens_python.def),
or {"facts": {...}}.
"""
import ast
import json
import re
import sys

ENTRY = "run"

# What a module may import, and which names of it a kernel may use (None: all but the refused ones).
ROOTS = {
    "__future__": None, "math": None, "typing": None, "dataclasses": None, "enum": None, "itertools": None,
    "functools": {"partial", "reduce", "wraps"},
    "torch": {
        "Tensor", "Size", "device", "dtype", "finfo", "iinfo", "empty", "empty_like", "empty_strided",
        "zeros", "zeros_like", "float", "float16", "float32", "float64", "half", "bfloat16", "float8_e4m3fn",
        "float8_e5m2", "int", "int8", "int16", "int32", "int64", "long", "uint8", "uint16", "uint32", "bool",
        "cuda.current_stream", "cuda.current_device", "cuda.get_device_properties",
    },
    "triton": {
        "jit", "cdiv", "next_power_of_2", "Config", "autotune", "heuristics", "set_allocator",
        "language", "tools.tensor_descriptor", "experimental.gluon",
    },
    "cutlass": None,
    "cuda": {"bindings.driver.CUstream"},
}
REFUSED_PATHS = (
    "triton.language.device_print", "triton.language.device_assert", "triton.language.extra.cuda.globaltimer",
    "triton.language.extra.cuda.smid", "cutlass.cute.testing", "cutlass.cute.printf", "cutlass.torch",
    "cutlass.profiler",
)
DEVICE_DECORATORS = {
    "triton.jit", "triton.experimental.gluon.jit", "cutlass.cute.jit", "cutlass.cute.kernel", "cutlass.jit",
    "cutlass.kernel",
}
REFUSED_NAMES = {
    "eval", "exec", "compile", "__import__", "open", "globals", "locals", "vars", "getattr", "setattr",
    "delattr", "input", "breakpoint", "memoryview", "id", "type", "object", "help", "exit", "quit",
    "__builtins__", "__loader__", "__spec__", "__file__", "__name__",
}
# Methods that host code may call on a value: they read or reshape, they compute nothing.
METHODS = {
    "stride", "size", "dim", "numel", "element_size", "is_contiguous", "contiguous", "data_ptr", "view",
    "reshape", "unsqueeze", "squeeze", "flatten", "unflatten", "expand", "as_strided", "permute", "t", "narrow", "select", "new_empty", "new_zeros", "zero_", "get", "items", "keys", "values", "append",
    "extend", "add", "format", "join", "bit_length", "launch", "mark_layout_dynamic",
    "mark_compact_shape_dynamic", "__init__",
}
# Of a constant of the module, in host and device code alike.
READING_METHODS = {"get", "items", "keys", "values", "index", "count"}
MODULE_CALLS = {"triton.Config", "triton.language.constexpr", "torch.device", "typing.TypeVar", "range", "tuple"}
FLAGS_OF_TIME = re.compile(r"clock|globaltimer|%pm\d|nanosleep")


class Objection(Exception):
    def __init__(self, rule, node, text):
        super().__init__(text)
        line = getattr(node, "lineno", 0)
        self.answer = {"rule": rule, "detail": f"line {line}: {text}" if line else text}


class Module:
    """Names of the module: what they were imported as, and which of them are the module's own."""

    def __init__(self, tree):
        self.tree = tree
        self.paths = {}
        self.constants = set()
        self.functions = {}
        self.classes = {}
        self.methods = set()
        for node in tree.body:
            self.note(node)

    def note(self, node):
        if isinstance(node, ast.Import):
            for item in node.names:
                self.paths[item.asname or item.name.split(".")[0]] = item.name if item.asname else item.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom):
            for item in node.names:
                self.paths[item.asname or item.name] = f"{node.module}.{item.name}"
        elif isinstance(node, ast.FunctionDef):
            self.functions[node.name] = node
        elif isinstance(node, ast.ClassDef):
            self.classes[node.name] = node
            self.methods.update(n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef))
        else:
            for target in ast.walk(node):
                if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store):
                    self.constants.add(target.id)

    def path(self, node):
        """"triton.language.load" of an expression that names something imported, else None."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.paths:
            return None
        return ".".join([self.paths[node.id], *reversed(parts)])

    def is_device(self, function):
        for mark in function.decorator_list:
            if self.path(mark.func if isinstance(mark, ast.Call) else mark) in DEVICE_DECORATORS:
                return True
        return False


def is_below(path, name):
    return path == name or path.startswith(name + ".")


def check_path(path, node):
    root, _, rest = path.partition(".")
    if root not in ROOTS:
        raise Objection("imports", node, f"{root} is not on the list of modules that a kernel may import")
    for refused in REFUSED_PATHS:
        if is_below(path, refused):
            raise Objection("imports", node, f"{path} is refused")
    allowed = ROOTS[root]
    if not rest or allowed is None:
        return
    # On the way to an allowed name ("torch.cuda"), at one, or below one; torch.Tensor has methods.
    if not any(rest == name or is_below(name, rest) or (root != "torch" and is_below(rest, name))
               for name in allowed):
        raise Objection("imports", node, f"{path} is not on the list of what a kernel may use")


def check_imports(module):
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                check_path(item.name, node)
        elif isinstance(node, ast.ImportFrom):
            if node.level or any(item.name == "*" for item in node.names):
                raise Objection("imports", node, "import names of a module, one by one")
            for item in node.names:
                check_path(f"{node.module}.{item.name}", node)
        if isinstance(node, (ast.Import, ast.ImportFrom)) and node not in module.tree.body:
            raise Objection("imports", node, "an import that does not stand at the module's margin")


def check_names(module):
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name) and node.id in REFUSED_NAMES:
            raise Objection("names", node, f"{node.id} is refused")
        if isinstance(node, ast.Global):
            raise Objection("state", node, f"global {', '.join(node.names)}: a kernel keeps nothing between calls")
        if isinstance(node, (ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith)):
            raise Objection("names", node, "async is refused")
        if isinstance(node, ast.Attribute) and node.attr.startswith("__") and node.attr != "__init__":
            raise Objection("names", node, f"the attribute {node.attr} is refused")
        if isinstance(node, ast.Attribute):
            path = module.path(node)
            if path:
                check_path(path, node)


def is_constant(module, node):
    """Computed at import from literals alone."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            name = module.path(part.func) or getattr(part.func, "id", None)
            if name not in MODULE_CALLS and not (name or "").startswith(("math.", "typing.", "enum.")):
                return False
        elif isinstance(part, (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)):
            return False
    return True


def check_default(module, function):
    for value in function.args.defaults + [d for d in function.args.kw_defaults if d]:
        for part in ast.walk(value):
            if isinstance(part, (ast.List, ast.Dict, ast.Set, ast.Call, ast.ListComp, ast.DictComp, ast.SetComp)):
                raise Objection("state", value, f"a default of {function.name} is a value that could be kept and changed")


def check_decorators(module, node):
    for mark in node.decorator_list:
        path = module.path(mark.func if isinstance(mark, ast.Call) else mark)
        name = getattr(mark, "id", None)
        if not path and name not in ("staticmethod", "classmethod", "property"):
            raise Objection("module_code", mark, "a decorator that is not imported runs when the module is loaded")


def check_class(module, node):
    """A class that stands in for a tensor, or changes what operators mean, computes when it is looked at."""
    for base in node.bases:
        path = module.path(base)
        if getattr(base, "id", None) not in module.classes and path != "typing.NamedTuple" and not is_below(path or "", "enum"):
            raise Objection("names", base, f"a class is not derived from {ast.unparse(base)}")
    if node.keywords:
        raise Objection("names", node, f"{node.name} has a metaclass or the like")
    for part in ast.walk(node):
        name = getattr(part, "name", "") if isinstance(part, ast.FunctionDef) else ""
        if name.startswith("__") and name not in ("__init__", "__post_init__", "__call__"):
            raise Objection("names", part, f"the method {name} is refused")


def check_module_code(module):
    for node in module.tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        is_assignment = isinstance(node, (ast.Assign, ast.AnnAssign)) and all(
            isinstance(t, (ast.Name, ast.Tuple)) for t in targets)
        if not is_assignment or (node.value is not None and not is_constant(module, node.value)):
            raise Objection("module_code", node, "only definitions and constants stand at the module's margin")
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            check_decorators(module, node)
        if isinstance(node, ast.FunctionDef):
            check_default(module, node)
    for node in module.classes.values():
        check_class(module, node)
        for part in node.body:
            if not isinstance(part, (ast.FunctionDef, ast.AnnAssign, ast.Assign, ast.Pass)) and not (
                    isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)):
                raise Objection("module_code", part, "a class body holds functions and constants only")


def local_names(function):
    names = {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def root_name(node):
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def check_store(node, names):
    root = root_name(node)
    if isinstance(node, ast.Attribute) and root != "self":
        raise Objection("state", node, f"{ast.unparse(node)} is set: only names inside of a call may be")
    if isinstance(node, ast.Subscript) and root not in names:
        raise Objection("state", node, f"{ast.unparse(node)} is set, and outlives the call")


def check_call_of_host(module, node, names):
    func = node.func
    if not isinstance(func, ast.Attribute) or module.path(func):
        return
    root = root_name(func)
    if root in module.constants and root not in names and func.attr not in READING_METHODS:
        raise Objection("state", node, f"{ast.unparse(func)}: constants of the module stay as they are")
    if root == "self" or root in module.classes or func.attr in module.methods:
        return
    if func.attr not in METHODS:
        raise Objection("library", node, f".{func.attr}() is not on the list of methods that host code may call")


def check_pointer_key(node):
    """An address that something is found again by."""
    keys = []
    if isinstance(node, ast.Subscript):
        keys.append(node.slice)
    elif isinstance(node, ast.Dict):
        keys += [k for k in node.keys if k]
    elif isinstance(node, ast.Compare):
        keys += [node.left, *node.comparators]
    for key in keys:
        for part in ast.walk(key):
            if isinstance(part, ast.Attribute) and part.attr == "data_ptr":
                raise Objection("state", node, "an address is compared or used as a key")


def check_host(module, function, names):
    for node in ast.walk(function):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)) and node is not function and isinstance(node, ast.FunctionDef):
            if module.is_device(node):
                continue
        if isinstance(node, ast.Call):
            check_call_of_host(module, node, names)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            raise Objection("library", node, "the operator @ is a library's")
        check_pointer_key(node)


def check_device(module, function):
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        for part in [*node.args, *(k.value for k in node.keywords)]:
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and FLAGS_OF_TIME.search(part.value):
                raise Objection("clocks", node, "a clock or timer of the device")


def functions_of(module):
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef):
            yield node


def check_entry_writes(function, outputs):
    """Elements of arguments that host code sets are a library's work."""
    arguments = {a.arg for a in function.args.args}
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and root_name(node) in arguments:
            raise Objection("library", node, f"{ast.unparse(node)} is set by host code")
        if isinstance(node, ast.AugAssign) and root_name(node.target) in outputs:
            raise Objection("library", node, f"{ast.unparse(node.target)} is changed by host code")


def check_functions(module):
    for function in functions_of(module):
        names = local_names(function)
        for node in ast.walk(function):
            if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)):
                check_store(node, names)
        if module.is_device(function):
            check_device(module, function)
        else:
            check_host(module, function, names)


def check_entry(module, parameters):
    function = module.functions.get(ENTRY)
    every = [p.partition(":")[0] for p in parameters]
    inputs = [p for p in parameters if not p.endswith(":out")]
    if function is None:
        raise Objection("entry", None, f"the module defines no function {ENTRY}")
    spec = function.args
    got = [a.arg for a in spec.posonlyargs + spec.args]
    if spec.vararg or spec.kwarg or spec.kwonlyargs or got not in (every, inputs):
        raise Objection("entry", function, f"the parameters of {ENTRY} are ({', '.join(got)}); they are "
                        f"({', '.join(every)}), or ({', '.join(inputs)}) for one that returns its outputs")


def facts(module):
    marks = [module.path(m.func if isinstance(m, ast.Call) else m)
             for f in functions_of(module) for m in f.decorator_list]
    return {
        "nr_kernels": sum(m in DEVICE_DECORATORS for m in marks),
        "nr_autotuned": sum(m == "triton.autotune" for m in marks),
        "source_lines": getattr(module.tree.body[-1], "end_lineno", 0) if module.tree.body else 0,
    }


def screen(text, role, parameters):
    try:
        module = Module(ast.parse(text))
    except SyntaxError as e:
        raise Objection("syntax", None, f"line {e.lineno}: {e.msg}") from e
    except (ValueError, RecursionError, MemoryError) as e:
        raise Objection("syntax", None, f"the source can not be parsed: {e}") from e
    check_entry(module, parameters)
    if role == "candidate":
        for check in (check_imports, check_names, check_module_code, check_functions):
            check(module)
        check_entry_writes(module.functions[ENTRY], {p.partition(":")[0] for p in parameters if p.endswith(":out")})
    return {"facts": facts(module)}


def main():
    path, role, *parameters = sys.argv[1:]
    with open(path, encoding="utf-8") as f:
        text = f.read()
    try:
        answer = screen(text, role, parameters)
    except Objection as e:
        answer = e.answer
    except RecursionError:
        answer = {"rule": "syntax", "detail": "expressions are nested too deeply"}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
