"""Static screens of a Python kernel, by its syntax tree: python3 -I screen.py SOURCE ROLE PARAMETER...

They are filters: they refuse what an author writes plainly, early and by name. What holds is where the
module runs: a process without the other side, without the clock, called once while its launches are
recorded. Nothing of SOURCE is executed here.

A PARAMETER is an argument of the task, with ":out" behind the name of one that is written only and
":scalar" behind that of a number.
Prints one JSON object: {"rule": NAME, "detail": TEXT} of the first objection (src/build/screens_python.def),
or {"facts": {...}}.
"""
import ast
import builtins
import json
import re
import sys

ENTRY = "run"

# What a module may import, and which names of it a kernel may use (None: all but the refused ones).
ROOTS = {
    "__future__": None, "math": None, "typing": None, "dataclasses": None, "enum": None, "itertools": None,
    "functools": {"partial", "reduce", "wraps", "cache"},
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
# Of a tensor: what is a number or says what it is, and methods that leave its values alone.
NUMBERS = {
    "shape", "dtype", "device", "ndim", "itemsize", "nbytes", "layout", "is_cuda", "stride", "size", "dim", "numel",
    "element_size", "is_contiguous", "data_ptr",
}
TENSOR_METHODS = NUMBERS | {
    "contiguous", "view", "reshape", "unsqueeze", "squeeze", "flatten", "unflatten", "expand", "as_strided", "permute",
    "t", "narrow", "select", "new_empty", "new_zeros", "zero_", "mark_layout_dynamic", "mark_compact_shape_dynamic",
}
# What may leave a tensor whose elements do not lie in order, and methods that copy such a one.
STRIDING = {"expand", "as_strided", "permute", "t", "narrow", "select"}
STRIDED_ATTRIBUTES = {"T", "mT", "H", "mH"}
COPYING = {"contiguous", "reshape", "flatten"}
# A value takes two or three turns through a module's functions; beyond this nobody reads it either.
MAX_ROUNDS = 60
MAKERS = ("torch.empty", "torch.zeros")
# What may be kept between calls, and by what: machine code, found again by numbers.
CACHE = "functools.cache"
COMPILER = "cutlass.cute.compile"
# Functions of the language that may be given tensors: they compute nothing with them.
HARMLESS = {"isinstance", "len", "tuple", "list", "dict", "zip", "enumerate", "reversed"}
DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
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


def reads_address(node):
    return any(isinstance(part, ast.Attribute) and part.attr == "data_ptr" for part in ast.walk(node))


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
        if reads_address(key):
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


class Flow:
    """Which expressions of host code may be tensors: arguments of the entry, what torch makes, and what comes of
    them by names, containers, methods and calls. One set of names for a function and all that stand in it."""

    def __init__(self, module, tensors):
        self.module = module
        self.bodies = {f: list(walk_host(module, f)) for f in outer_functions(module)}
        self.names = {f: set() for f in self.bodies}
        self.displays = {f: only_displays(body) for f, body in self.bodies.items()}
        self.callables = {f: local_callables(body) for f, body in self.bodies.items()}
        self.attributes = set()
        self.results = set()
        entry = module.functions.get(ENTRY)
        if entry in self.names:
            self.names[entry] |= tensors
        rounds = 0
        while self.grow(backwards=rounds % 2 == 1):
            rounds += 1
            if rounds > MAX_ROUNDS:
                raise Objection("syntax", None, "names are handed on through too many others to be followed")

    def size(self):
        return sum(map(len, self.names.values())) + len(self.attributes) + len(self.results)

    def grow(self, backwards):
        before = self.size()
        for function, body in self.bodies.items():
            for node in reversed(body) if backwards else body:
                self.take(function, node)
        return self.size() > before

    def take(self, function, node):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self.bind(function, target, node.value)
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
            self.bind(function, node.target, node.value)
        elif isinstance(node, (ast.For, ast.comprehension)):
            self.bind(function, node.target, node.iter)
        elif isinstance(node, ast.Return) and node.value is not None and self.has(function, node.value):
            self.results.add(function.name)
        elif isinstance(node, ast.Call):
            self.take_call(function, node)

    def bind(self, function, target, value):
        pairs = isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List))
        if pairs and len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts):
                self.bind(function, one, other)
        elif self.has(function, value):
            self.mark(function, target)

    def mark(self, function, target):
        for part in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
            root = root_name(part)
            if isinstance(part, ast.Attribute):
                self.attributes.add(part.attr)
            elif root:
                self.names[function].add(root)

    def take_call(self, function, call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "extend", "add"):
            if any(self.has(function, a) for a in call.args):
                self.mark(function, call.func.value)
        for names, spec in self.called(function, call):
            self.hand_over(function, call, names, spec)

    def called(self, function, call):
        """Functions of the module that a call may mean: where their names are kept, and their parameters."""
        name = getattr(call.func, "id", None)
        is_method = isinstance(call.func, ast.Attribute)
        if isinstance(call.func, ast.Lambda):
            yield self.names[function], [a.arg for a in call.func.args.args]
        for node in self.callables[function].get(name, []):
            yield self.names[function], [a.arg for a in node.args.args]
        if name in self.module.classes:
            yield from self.constructor(self.module.classes[name])
        for other in self.bodies:
            if other.name == (call.func.attr if is_method else name):
                spec = [a.arg for a in other.args.posonlyargs + other.args.args]
                yield self.names[other], spec[1:] if spec[:1] == ["self"] else spec

    def constructor(self, node):
        inits = [p for p in node.body if isinstance(p, ast.FunctionDef) and p.name == "__init__"]
        for init in inits:
            yield self.names[init], [a.arg for a in init.args.args][1:]
        if not inits:
            yield self.attributes, [p.target.id for p in node.body if isinstance(p, ast.AnnAssign)]

    def hand_over(self, function, call, names, spec):
        for i, value in enumerate(call.args):
            if not self.has(function, value):
                continue
            names.update(spec[i:] if isinstance(value, ast.Starred) else spec[i:i + 1])
        for keyword in call.keywords:
            if keyword.arg in spec and self.has(function, keyword.value):
                names.add(keyword.arg)

    def has(self, function, node):
        """May the value of an expression be a tensor, or hold one?"""
        if isinstance(node, ast.Name):
            return node.id in self.names[function]
        if isinstance(node, ast.Attribute):
            return node.attr not in NUMBERS and (node.attr in self.attributes or self.has(function, node.value))
        if isinstance(node, ast.Subscript):
            return self.has(function, node.value)
        if isinstance(node, ast.Call):
            return self.makes(function, node)
        if isinstance(node, (ast.Compare, ast.Constant, ast.Lambda)):
            return False
        return any(self.has(function, part) for part in ast.iter_child_nodes(node))

    def makes(self, function, call):
        func = call.func
        path = self.module.path(func)
        if path:
            return path.startswith(MAKERS)
        if isinstance(func, ast.Attribute):
            return func.attr not in NUMBERS and (func.attr in self.results or self.has(function, func.value))
        if getattr(func, "id", None) in HARMLESS - {"isinstance", "len"}:
            return any(self.has(function, a) for a in call.args)
        return getattr(func, "id", None) in self.results

    def holds(self, function, node):
        """Is it a list or the like, by every value that its name was given?"""
        return isinstance(node, DISPLAYS) or (isinstance(node, ast.Name) and node.id in self.displays[function])


class Strides(Flow):
    """Which of the tensors may have lost the order of their elements."""

    def __init__(self, flow):
        self.tensors = flow
        super().__init__(flow.module, set())

    def has(self, function, node):
        method = getattr(getattr(node, "func", None), "attr", None)
        loses = (isinstance(node, ast.Subscript) or method in STRIDING
                 or (isinstance(node, ast.Attribute) and node.attr in STRIDED_ATTRIBUTES))
        return (loses and self.tensors.has(function, node)) or super().has(function, node)

    def makes(self, function, call):
        return not self.module.path(call.func) and super().makes(function, call)


def walk_host(module, function):
    """Nodes of a function, without device code that is defined in it."""
    for node in ast.iter_child_nodes(function):
        if isinstance(node, ast.FunctionDef) and module.is_device(node):
            continue
        yield node
        yield from walk_host(module, node)


def outer_functions(module):
    own = [f for f in module.functions.values() if not module.is_device(f)]
    for node in module.classes.values():
        own += [f for f in node.body if isinstance(f, ast.FunctionDef) and not module.is_device(f)]
    return own


def local_callables(body):
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for target in node.targets:
                found.setdefault(getattr(target, "id", None), []).append(node.value)
    return found


def only_displays(body):
    displays, others = set(), set()
    for node in body:
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            kind = displays if isinstance(node.value, DISPLAYS) else others
            kind.update(t.id for t in targets if isinstance(t, ast.Name))
        elif isinstance(node, (ast.For, ast.comprehension, ast.arg)):
            names = [node.arg] if isinstance(node, ast.arg) else [n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)]
            others.update(names)
    return displays - others


def computes(flow, function, node):
    """Does host code compute with a tensor here, or look at its values?"""
    def has(part):
        return part is not None and flow.has(function, part)

    if isinstance(node, ast.BinOp):
        joins = isinstance(node.op, (ast.Add, ast.Mult)) and any(
            isinstance(side, (ast.List, ast.Tuple)) for side in (node.left, node.right))
        return not joins and (has(node.left) or has(node.right))
    if isinstance(node, ast.UnaryOp):
        return has(node.operand)
    if isinstance(node, ast.AugAssign):
        return has(node.target) or has(node.value)
    if isinstance(node, ast.Compare):
        is_identity = all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops)
        return not is_identity and any(map(has, [node.left, *node.comparators]))
    if isinstance(node, ast.BoolOp):
        return any(map(has, node.values))
    if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
        return has(node.test)
    if isinstance(node, ast.Subscript):
        return has(node.value) and has(node.slice)
    return isinstance(node, ast.Call) and computes_by_call(flow, function, node)


def computes_by_call(flow, function, call):
    func = call.func
    path = flow.module.path(func)
    has_tensor = any(flow.has(function, a) for a in [*call.args, *(k.value for k in call.keywords)])
    if path:
        return has_tensor and (is_below(path, "math") or path == "functools.reduce")
    if isinstance(func, ast.Attribute):
        is_own = func.attr in flow.module.methods or root_name(func) == "self"
        return not is_own and func.attr not in TENSOR_METHODS and flow.has(function, func.value) and not flow.holds(
            function, func.value)
    name = getattr(func, "id", None)
    is_own = name in flow.module.functions or name in flow.module.classes or name in flow.callables[function]
    return has_tensor and not is_own and hasattr(builtins, name or "") and name not in HARMLESS


def copies(strides, function, node):
    """Does a library put elements into order here?"""
    method = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    return method in COPYING and strides.has(function, node.func.value)


def check_arithmetic(module, tensors):
    flow = Flow(module, tensors)
    check_caches(module, flow)
    strides = Strides(flow)
    for function, body in flow.bodies.items():
        for node in body:
            if copies(strides, function, node):
                raise Objection("library", node, f"{ast.unparse(node)[:80]}: host code copies elements into another order")
            if computes(flow, function, node):
                what = node.test if isinstance(node, (ast.If, ast.While, ast.Assert)) else node
                raise Objection("library", node, f"{ast.unparse(what)[:80]}: host code computes with tensors")


def functions_of(module):
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef):
            yield node


def check_cached(module, function):
    """All that it may do is to have one of the module's own kernels compiled."""
    returns = [n for n in ast.walk(function) if isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom))]
    call = returns[0].value if len(returns) == 1 and isinstance(returns[0], ast.Return) else None
    compiles = isinstance(call, ast.Call) and module.path(call.func) == COMPILER and call.args
    kernel = module.functions.get(getattr(call.args[0], "id", None)) if compiles else None
    if module.functions.get(function.name) is not function or not kernel or not module.is_device(kernel):
        raise Objection("state", function, f"{function.name} is cached: its one return is cute.compile() of a kernel of "
                        "the module, for nothing else is kept between calls")


def check_caches(module, flow):
    """Compiled code may be kept: by a function that is called by its name, and with numbers."""
    marks = {m: f for f in functions_of(module) for m in f.decorator_list if module.path(m) == CACHE}
    for function in marks.values():
        check_cached(module, function)
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.Name, ast.Attribute)) and module.path(node) == CACHE and node not in marks:
            raise Objection("state", node, f"{CACHE} stands over a function, and nowhere else")
    cached = {f.name for f in marks.values()}
    calls = [(f, n) for f, body in flow.bodies.items() for n in body
             if isinstance(n, ast.Call) and getattr(n.func, "id", None) in cached]
    for function, call in calls:
        check_key(flow, function, call)
    called = {call.func for _function, call in calls}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name) and node.id in cached and node not in called:
            raise Objection("state", node, f"{node.id} is cached: host code calls it, and it is not handed on")


def check_key(flow, function, call):
    for part in [*call.args, *(k.value for k in call.keywords)]:
        if reads_address(part) or flow.has(function, part):
            raise Objection("state", call, f"{ast.unparse(part)[:80]} is what {call.func.id} is found again by: "
                            "sizes and types are, no tensor and no address")


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
    inputs = [p.partition(":")[0] for p in parameters if not p.endswith(":out")]
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
        check_arithmetic(module, {p.partition(":")[0] for p in parameters if not p.endswith(":scalar")})
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
