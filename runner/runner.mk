# How forge-runner is linked. It lends candidates libm, libmvec and libgomp: the first two as shared
# libraries that are loaded whether or not the runner itself needs them, libgomp whole and static
# with its entry points exported, because its thread pool has to exist before the object is loaded
# and because one file less has to be found in the jail. clang has no libgomp of its own; gcc's
# serves. The runner is never sanitized: see the Makefile.
LIBGOMP := $(shell gcc -print-file-name=libgomp.a)
LIBMVEC := $(if $(wildcard $(shell gcc -print-file-name=libmvec.so)),-lmvec)
LINK_forge-runner := -Wl,--whole-archive $(LIBGOMP) -Wl,--no-whole-archive \
	-Wl,--dynamic-list=runner/exports.list -Wl,--no-as-needed $(LIBMVEC) -lm -Wl,--as-needed -ldl
LINK_forge-runner-cuda := $(subst exports.list,exports_cuda.list,$(LINK_forge-runner)) -Wl,-u,cudaGetDevice
