/* The kernel starts no threads. */
struct team {
	int nothing;
};

static int has_team(void)
{
	return THREADS > 0;
}

static struct team team_set(void)
{
	return (struct team){ 0 };
}

static void team_reset(const struct team *before)
{
	(void)before;
}
