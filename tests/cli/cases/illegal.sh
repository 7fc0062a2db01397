# Rewrites that are wrong, planted in a kernel as the embedded student writes them: strips, a part
# for each thread, a remainder. The judge tells each of them from the reference.
recorded_task task 's/^threads = 1/threads = 2/'
cat > right.c <<'END'
/* forge-build: clang -O2 -march=native */
#include <forge/kernel.h>
#include <math.h>

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
int omp_get_thread_num(void);
int omp_get_num_threads(void);

static __attribute__((noinline)) void part(const float *restrict x, const float *restrict y,
		float *restrict z, int64_t first, int64_t last)
{
	for (int64_t i = first; i < last; i += 4)
		for (int64_t i_s = 0; i_s < 4; i_s++)
			z[i + i_s] = sqrtf(x[i + i_s] * x[i + i_s] + y[i + i_s] * y[i + i_s]) /
					(1.0f + fabsf(x[i + i_s]));
}

struct share {
	const float *x;
	const float *y;
	float *z;
	int64_t first;
	int64_t count;
};

static void team(void *data)
{
	struct share *share = data;
	for (int64_t chunk = omp_get_thread_num(); chunk < 2; chunk += omp_get_num_threads())
		part(share->x, share->y, share->z, share->first + share->count * chunk / 2 * 4,
				share->first + share->count * (chunk + 1) / 2 * 4);
}

void hypot_ratio(const float *x, const float *y, float *z, int64_t n)
{
	struct share share = { .x = x, .y = y, .z = z, .first = 0, .count = n / 4 };
	GOMP_parallel(team, &share, 2, 0);
	for (int64_t i = n / 4 * 4; i < n; i++)
		z[i] = sqrtf(x[i] * x[i] + y[i] * y[i]) / (1.0f + fabsf(x[i]));
}
END
verdict() { forge judge task "$1" 2>&1 | grep -E "^$1: [a-z]+ " | sed 's/: [0-9]* elements.*//; s/: output.*//'; }
plant() { sed "$2" right.c > "$1.c"; cmp -s right.c "$1.c" && echo "$1: nothing planted"; verdict "$1.c"; }
verdict right.c
plant half 's/chunk < 2;/chunk < 1;/; s/chunk += omp_get_num_threads()/chunk++/'
plant remainder 's/i = n \/ 4 \* 4; i < n;/i = n \/ 4 * 4; i < n \/ 4 * 4;/'
plant shift 's/i = n \/ 4 \* 4;/i = n \/ 4 * 4 + 1;/'
plant edge 's/(chunk + 1) \/ 2 \* 4/(chunk + 1) \/ 2 * 4 - 4/'
plant strip 's/i_s < 4;/i_s < 3;/'
plant swap 's/x\[i + i_s\] \* x\[i + i_s\] + y/y[i + i_s] * y[i + i_s] + y/'
plant size 's/\.count = n \/ 4/.count = 16384 \/ 4/'
