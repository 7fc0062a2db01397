# A task in Python is made, linted and screened anywhere: no PyTorch, no GPU. So is a CUDA task whose
# reference is a library that is called from Python.
checked() { forge check "$@" 2>&1 | sed -E 's/Python 3[0-9.]*/Python 3/; s/were not run: .*/were not run: .../' | only -v '^  |reference *$'; }
t forge init --language python scaled
t sh -c 'find scaled -type f | sort'
t checked scaled
forge check --json scaled | only -o '"nr_autotuned":0|"not_run":'
t checked "$CLI/../../tasks/gpu/rmsnorm" | sed 's#/.*/tasks#tasks#'
# The lint knows parameters, the parser the rest.
sed -i 's/def run(x, y, n, a, b)/def run(x, y, a, b, n)/' scaled/reference/kernel.py
t checked scaled
sed -i 's/def run(x, y, a, b, n)/def run(x, y, z, n, a, b)/; s/return torch/return return/' scaled/reference/kernel.py
t checked scaled
sed -i 's/^blackbox = true/build = "gcc -O2"/; s/^entry = "run"/entry = "scale"/; s/"manual"  /"tuner"  /' scaled/task.toml
t checked --no-run scaled
sed -i 's/^build = .*/language = "c"/' scaled/task.toml
t checked --no-run scaled
