#include "store/fold.h"

/* What agents used. The ledger has one row an attempt at a turn: usage that is told while the turn
 * is under way is in it at once, so that a run which is killed there has paid for it, and the
 * turn's own event replaces it by all that was used. An attempt that is open when a session begins
 * was lost with the session before: what it used after its last word nobody knows. */

#include "base/json.h"
#include "base/str.h"
#include "store/fold_in.h"

struct usage run_state_used(const struct run_state *s)
{
	struct usage sum = s->teacher_usage.used;
	usage_add(&sum, &s->student_usage.used);
	return sum;
}

static enum limits_scope scope_of(const char *name)
{
	for (int i = LIMITS_RUN; i <= LIMITS_STUDENT; i++)
		if (str_equal(limits_scope_name((enum limits_scope)i), name))
			return (enum limits_scope)i;
	return LIMITS_MILESTONE;
}

const struct limits *run_state_limits(const struct run_state *s, const char *scope)
{
	return &s->limits[scope_of(scope)];
}

static struct spending spending_of_milestone(const struct run_state *s, const char *id)
{
	struct spending sum = { .seconds = 0 };
	for (size_t i = 0; i < s->nr_attempts; i++)
		if (str_equal(s->attempts[i].milestone, id))
			usage_add(&sum.used, &s->attempts[i].used);
	for (size_t i = 0; i < s->nr_rounds; i++)
		if (str_equal(s->rounds[i].milestone, id) && s->rounds[i].outcome != ROUND_OPEN)
			sum.seconds += s->rounds[i].seconds - s->rounds[i].free_s;
	return sum;
}

static struct spending spending_of_role(const struct run_state *s, const char *role)
{
	struct spending sum = { .seconds = 0 };
	for (size_t i = 0; i < s->nr_attempts; i++) {
		const struct state_attempt *a = &s->attempts[i];
		if (!str_equal(a->role, role))
			continue;
		usage_add(&sum.used, &a->used);
		sum.seconds += a->seconds - a->waited_s;
	}
	return sum;
}

struct spending run_state_spending(const struct run_state *s, const char *scope)
{
	switch (scope_of(scope)) {
	case LIMITS_RUN:
		return (struct spending){ .used = run_state_used(s) };
	case LIMITS_TEACHER:
	case LIMITS_STUDENT:
		return spending_of_role(s, scope);
	case LIMITS_MILESTONE:
	case LIMITS_NR:
		break;
	}
	return spending_of_milestone(s, scope);
}

bool run_state_is_milestone_spent(const struct run_state *s, const char *id)
{
	const struct spending spent = spending_of_milestone(s, id);
	const struct limits *limits = &s->limits[LIMITS_MILESTONE];
	return limits->set && !s->is_control && limits_over(limits, &spent) != RESOURCE_NR;
}

/* A turn for a round belongs to the milestone of the round that is open. */
static const char *milestone_of(const struct run_state *s, const char *purpose)
{
	const struct state_round *r = s->nr_rounds ? &s->rounds[s->nr_rounds - 1] : NULL;
	return r && str_starts(purpose, "round-") ? r->milestone : "";
}

static bool is_teachers(const struct state_attempt *a)
{
	return str_equal(a->role, "teacher");
}

static void sum_up(struct run_state *s)
{
	s->teacher_usage.used = s->student_usage.used = (struct usage){ 0 };
	for (size_t i = 0; i < s->nr_attempts; i++) {
		const struct state_attempt *a = &s->attempts[i];
		usage_add(is_teachers(a) ? &s->teacher_usage.used : &s->student_usage.used,
			  &a->used);
	}
}

/* The teacher's turn may hold one of the student's, so several can be open. NULL: none is. */
static struct state_attempt *find_open(struct run_state *s, const char *role, const char *purpose)
{
	for (size_t i = s->nr_attempts; i > 0; i--) {
		struct state_attempt *a = &s->attempts[i - 1];
		if (a->is_open && str_equal(a->purpose, purpose) && str_equal(a->role, role))
			return a;
	}
	return NULL;
}

static struct state_attempt *open_attempt(struct fold *f)
{
	struct run_state *s = f->s;
	const char *role = fold_text(f, "role");
	const char *purpose = fold_text(f, "purpose");
	struct state_attempt *a = find_open(s, role, purpose);
	if (a)
		return a;
	a = FOLD_PUSH(s, attempts);
	*a = (struct state_attempt){ .role = role,
				     .purpose = purpose,
				     .milestone = milestone_of(s, purpose),
				     .is_open = true };
	return a;
}

void on_turn_asked(struct fold *f)
{
	open_attempt(f)->is_resumed = json_bool_or(f->body, "resumed", false);
}

bool run_state_is_lost(const struct run_state *s, const char *role, const char *purpose,
		       struct usage *spent)
{
	struct usage sum = { 0 };
	bool is_lost = false;
	for (size_t i = 0; i < s->nr_attempts; i++) {
		const struct state_attempt *a = &s->attempts[i];
		if (!str_equal(a->purpose, purpose) || !str_equal(a->role, role))
			continue;
		if (!a->is_resumed)
			sum = (struct usage){ 0 };
		usage_add(&sum, &a->used);
		is_lost = a->is_lost;
	}
	if (spent)
		*spent = sum;
	return is_lost;
}

static void keep_prices(struct fold *f)
{
	const char *prices = fold_text_or(f, f->body, "prices");
	if (prices)
		f->s->prices = prices;
}

void on_agent_spent(struct fold *f)
{
	struct state_attempt *a = open_attempt(f);
	struct usage more;
	usage_read(&more, json_object_get(f->body, "usage"));
	usage_add(&a->used, &more);
	keep_prices(f);
	sum_up(f->s);
}

void on_turn_lost(struct fold *f)
{
	struct state_attempt *a = open_attempt(f);
	usage_read(&a->used, json_object_get(f->body, "usage"));
	a->seconds = json_real_or(f->body, "seconds", 0);
	a->waited_s = json_real_or(f->body, "waited_s", 0);
	a->is_open = false;
	a->is_lost = true;
	keep_prices(f);
	sum_up(f->s);
}

static void keep_agent(struct fold *f, const struct state_attempt *a)
{
	struct state_agent *agent = is_teachers(a) ? &f->s->teacher_agent : &f->s->student_agent;
	const char *version = fold_text_or(f, f->body, "version");
	const char *model = fold_text_or(f, f->body, "model");
	const char *name = fold_text_or(f, f->body, "agent");
	if (!name || !name[0])
		return;
	agent->name = name;
	agent->version = version ? version : "";
	agent->model = model ? model : "";
}

/* Logs of before usage had kinds hold tokens and usd in the body itself. */
void fold_turn_usage(struct fold *f)
{
	struct state_attempt *a = open_attempt(f);
	const json_t *usage = json_object_get(f->body, "usage");
	struct state_usage *role = is_teachers(a) ? &f->s->teacher_usage : &f->s->student_usage;
	usage_read(&a->used, usage ? usage : f->body);
	a->seconds = fold_real(f, "seconds");
	a->waited_s = fold_waited(f);
	a->is_open = false;
	role->turns++;
	role->seconds += a->seconds;
	f->s->clocks.agent_s += a->seconds - a->waited_s;
	keep_prices(f);
	keep_agent(f, a);
	sum_up(f->s);
}

void fold_lose_attempts(struct run_state *s)
{
	const struct usage rest = usage_unknown();
	for (size_t i = 0; i < s->nr_attempts; i++) {
		struct state_attempt *a = &s->attempts[i];
		if (!a->is_open)
			continue;
		a->is_open = false;
		a->is_lost = true;
		usage_add(&a->used, &rest);
	}
	sum_up(s);
}

/* The run's own stand in the body itself, the others in `limits`. */
void fold_limits(struct fold *f)
{
	struct limits *of = f->s->limits;
	const json_t *more = json_object_get(f->body, "limits");
	limits_set(&of[LIMITS_RUN], RESOURCE_USD, fold_real(f, "usd"));
	limits_set(&of[LIMITS_RUN], RESOURCE_TOKENS, (double)fold_int(f, "tokens"));
	limits_from_json(&of[LIMITS_RUN], f->body);
	limits_set(&of[LIMITS_RUN], RESOURCE_TIME, f->s->hours * 3600);
	for (int i = 0; i < LIMITS_NR; i++)
		limits_from_json(&of[i],
				 json_object_get(more, limits_scope_name((enum limits_scope)i)));
}

static struct state_warned *find_warned(const struct run_state *s, const char *scope)
{
	for (size_t i = 0; i < s->nr_warned; i++)
		if (str_equal(s->warned[i].scope, scope))
			return &s->warned[i];
	return NULL;
}

unsigned run_state_warned(const struct run_state *s, const char *scope, enum resource r)
{
	const struct state_warned *w = find_warned(s, scope);
	return w ? w->pct[r] : 0;
}

/* Logs of before budgets had scopes tell of the run's alone. */
void on_budget_spent(struct fold *f)
{
	const char *named = fold_text_or(f, f->body, "scope");
	const char *scope = named ? named : limits_scope_name(LIMITS_RUN);
	enum resource r = resource_parse(fold_text(f, "resource"));
	int64_t percent = fold_int(f, "percent");
	struct state_warned *w = find_warned(f->s, scope);
	if (!w) {
		w = FOLD_PUSH(f->s, warned);
		*w = (struct state_warned){ .scope = scope };
	}
	if (r != RESOURCE_NR)
		w->pct[r] = (unsigned)percent;
}
