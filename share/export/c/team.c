/* The kernel was judged with a team of THREADS. Within a parallel region, or under a lower limit,
 * it would get another one. */
struct team {
	int threads;
	int is_dynamic;
};

static int has_team(void)
{
	return !omp_in_parallel() && omp_get_thread_limit() >= THREADS;
}

static struct team team_set(void)
{
	const struct team before = { omp_get_max_threads(), omp_get_dynamic() };
	omp_set_dynamic(0);
	omp_set_num_threads(THREADS);
	return before;
}

static void team_reset(const struct team *before)
{
	omp_set_num_threads(before->threads);
	omp_set_dynamic(before->is_dynamic);
}
