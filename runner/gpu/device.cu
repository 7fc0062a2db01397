/*
 * The library's own kernels, loaded before any other: they fill, compare and fingerprint operands,
 * and hold the stream while a sample is enqueued. Compiled to a cubin for the device at hand.
 */
typedef unsigned long long word;

static __device__ word mix(word z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static __device__ word index_of_thread()
{
	return (word)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ word nr_threads()
{
	return (word)gridDim.x * blockDim.x;
}

/* The last, partial word: its bytes, zeros behind them. */
static __device__ word tail_word(const unsigned char *at, word len)
{
	word w = 0;
	for (word i = len / 8 * 8; i < len; i++)
		w |= (word)at[i] << 8 * (i % 8);
	return w;
}

extern "C" __global__ void forge_fill(unsigned char *at, word len, word pattern)
{
	word *words = (word *)at;
	for (word i = index_of_thread(); i < len / 8; i += nr_threads())
		words[i] = pattern;
	if (index_of_thread() == 0)
		for (word i = len / 8 * 8; i < len; i++)
			at[i] = (unsigned char)(pattern >> 8 * (i % 8));
}

/* Sum of what every word and its place are mixed to: any order gives the same. */
extern "C" __global__ void forge_print(const unsigned char *at, word len, word key, word *out)
{
	const word *words = (const word *)at;
	word sum = 0;
	for (word i = index_of_thread(); i < len / 8; i += nr_threads())
		sum += mix(words[i] ^ mix(key + i + 1));
	if (index_of_thread() == 0) {
		sum += mix(len ^ key);
		if (len % 8)
			sum += mix(tail_word(at, len) ^ mix(key + len / 8 + 1));
	}
	for (int lane = 16; lane; lane /= 2)
		sum += __shfl_down_sync(0xffffffffu, sum, lane);
	if (threadIdx.x % 32 == 0)
		atomicAdd(out, sum);
}

/* How many bytes differ from the pattern, which repeats from a multiple of eight on. */
extern "C" __global__ void forge_compare(const unsigned char *at, word len, word pattern, word *out)
{
	word nr = 0;
	for (word i = index_of_thread(); i < len; i += nr_threads())
		nr += at[i] != (unsigned char)(pattern >> 8 * (((word)at + i) % 8));
	if (nr)
		atomicAdd(out, nr);
}

/* flags[0]: set when it has begun; flags[1]: may end once this is `ticket`; flags[2]: it waited too
 * long. */
extern "C" __global__ void forge_hold(volatile unsigned *flags, unsigned ticket, word limit_ns)
{
	word begin = 0;
	word now = 0;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
	flags[0] = ticket;
	__threadfence_system();
	while (flags[1] != ticket) {
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
		if (now - begin > limit_ns) {
			flags[2] = ticket;
			__threadfence_system();
			return;
		}
	}
}

extern "C" __global__ void forge_nothing()
{
}
