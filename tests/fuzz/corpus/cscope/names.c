/* forge-build: gcc -O3 */
#include <math.h>
#  include "mine.h"
#define FACTOR 2
#define NAMED(a, b) a##_##b \
	(b)
#ifdef OTHER
#include <other.h>
#endif
enum kind { FIRST = (1, 2), LAST, };
typedef float lanes __attribute__((vector_size(4 * sizeof(float))));
typedef void (*step_fn)(int n, struct pair { int a; } p);
union { struct inner { enum deep { DEEP } e; } i; } outer;
static const float table[2][2] = { { 1e-5f, .5 }, { 0x1p+3, '\'' } }, one = FLT_MAX;
extern const char *theirs;
__attribute__((noinline, aligned(64))) static float f(const float *x /* } */, int n) { return "}\"" [n] + x[0]; }
static int (*const steps[])(void) = { 0 }; // the end \
of it
_Static_assert(sizeof(int) == 4, "int");
