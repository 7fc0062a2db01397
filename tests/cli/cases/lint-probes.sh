# tools/lint-probes: an arm that is an empty loop is found, however a probe names it.
[ "$(uname -m)" = x86_64 ] && command -v gcc > /dev/null || echo "skip: the probes are of x86-64 and made by gcc"
lint=$CLI/../../tools/lint-probes
mkdir probes
probe() { # NAME: stdin are its lines
	{
		echo 'struct arm { void (*run)(void *state, long reps); void *state; double work; };'
		echo 'void use(const struct arm *a);'
		cat
	} > "probes/$1.probe.c"
}
empty='static void empty(void *state, long reps) { (void)state; for (long r = 0; r < reps; r++) __asm__ volatile(""); }'
full='static void full(void *state, long reps) { for (long r = 0; r < reps; r++) ++*(volatile long *)state; }'
main='int main(void) {'
probe one << END
$empty $full
$main struct arm a = { empty, 0, 1 }; struct arm b = { full, 0, 1 }; use(&a); use(&b); }
END
probe array << END
$empty $full
$main const struct arm both[2] = { { full, 0, 1 }, { empty, 0, 1 } }; use(both); }
END
probe lines << END
$empty
$main struct arm a = {
	.run = empty,
	.work = 1,
}; use(&a); }
END
probe literal << END
$empty
$main use(&(struct arm){ empty, 0, 1 }); }
END
probe before << END
static void once(void *state, long reps) { reps += *(volatile long *)state; for (long r = 0; r < reps; r++) __asm__ volatile(""); }
$main struct arm a = { once, 0, 1 }; use(&a); }
END
probe address << END
static void sum(void *state, long reps) { (void)state; for (long r = 0; r < reps; r++) { long x; __asm__ volatile("" : "=r"(x) : "r"(r + 4 * reps + 1)); } }
$main struct arm a = { sum, 0, 1 }; use(&a); }
END
probe nowhere << END
$main extern void elsewhere(void *state, long reps); struct arm a = { elsewhere, 0, 1 }; use(&a); }
END
probe none << END
$main use(0); }
END
probe comment << END
$full
$main /* struct arm a = { empty, 0, 1 }; */ struct arm b = { full, 0, 1 }; use(&b); }
END
echo '# each kind is found, and the honest one is not'
PROBES=probes "$lint"
echo '# also with marks where branches may end, as some systems compile by default'
mkdir bin
printf '#!/bin/sh\nexec %s -fcf-protection=full "$@"\n' "$(command -v gcc)" > bin/gcc
chmod +x bin/gcc
PATH=$PWD/bin:$PATH PROBES=probes "$lint" | tail -n 1
echo '# no gcc'
python=$(python3 -c 'import sys; print(sys.executable)')
PATH=$PWD "$python" "$lint"
