#include "test.h"

#include "tuner/poly.h"

static struct poly times(struct poly a, struct poly b)
{
	return poly_multiply(&a, &b);
}

static struct poly plus(struct poly a, struct poly b)
{
	return poly_add(&a, &b);
}

TEST(sums_and_products_cancel_to_nothing)
{
	/* (n + m)(n - m) - n*n + m*m */
	struct poly n = poly_name("n");
	struct poly m = poly_name("m");
	struct poly sum = poly_add(&n, &m);
	struct poly difference = poly_subtract(&n, &m);
	struct poly p = poly_multiply(&sum, &difference);
	struct poly nn = times(n, n);
	p = poly_subtract(&p, &nn);
	p = plus(p, times(m, m));
	int64_t value = -1;
	CHECK(poly_is_number(&p, &value) && value == 0);
}

TEST(a_linear_name_is_split_off_and_a_square_is_not)
{
	struct poly i = poly_name("i");
	struct poly p = plus(times(i, poly_name("m")), plus(poly_name("j"), poly_number(3)));
	struct poly slope;
	struct poly rest;
	CHECK(poly_split(&p, "i", &slope, &rest));
	struct poly m = poly_name("m");
	struct poly want = plus(poly_name("j"), poly_number(3));
	CHECK(poly_equal(&slope, &m) && poly_equal(&rest, &want));
	p = times(i, i);
	CHECK(!poly_split(&p, "i", &slope, &rest));
}

TEST(replacing_a_name_replaces_all_its_powers)
{
	struct poly i = poly_name("i");
	struct poly p = plus(times(i, i), i);
	struct poly by = plus(poly_name("n"), poly_number(-1));
	struct poly got = poly_replace(&p, "i", &by);
	struct poly n = poly_name("n");
	struct poly want = plus(times(n, n), times(poly_number(-1), n));
	CHECK(poly_equal(&got, &want));
}

TEST(signs_follow_from_least_values_only)
{
	struct facts f = { 0 };
	struct poly p = plus(poly_name("n"), poly_number(-2));
	CHECK(!poly_is_nonnegative(&p, &f));
	facts_add(&f, "n", 1);
	CHECK(!poly_is_nonnegative(&p, &f));
	facts_add(&f, "n", 2);
	CHECK(poly_is_nonnegative(&p, &f));
	facts_add(&f, "n", 0);
	CHECK(poly_is_nonnegative(&p, &f));
	p = times(poly_name("n"), poly_name("unknown"));
	CHECK(!poly_is_nonnegative(&p, &f));
}

TEST(overflow_and_too_many_terms_become_unknown_and_stay_so)
{
	struct poly big = poly_number(INT64_MAX);
	struct poly p = plus(big, poly_number(1));
	CHECK(p.is_unknown);
	p = plus(p, poly_number(1));
	CHECK(p.is_unknown);
	p = times(big, poly_number(2));
	CHECK(p.is_unknown);
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	struct poly sum = poly_number(0);
	for (size_t i = 0; i < 8; i++)
		sum = plus(sum, poly_name(names[i]));
	struct poly square = times(sum, sum);
	CHECK(square.is_unknown);
	struct facts none = { 0 };
	CHECK(!poly_is_nonnegative(&square, &none));
	struct poly degree = poly_name("a");
	for (int i = 0; i < POLY_DEGREE; i++)
		degree = times(degree, poly_name("a"));
	CHECK(degree.is_unknown);
}

TEST(multiples_of_a_term_are_set_aside)
{
	/* 2*n*j + n*m + i, by n */
	struct poly nj = times(poly_number(2), times(poly_name("n"), poly_name("j")));
	struct poly p = plus(plus(nj, times(poly_name("n"), poly_name("m"))), poly_name("i"));
	struct poly n = poly_name("n");
	struct poly multiple;
	struct poly rest;
	poly_divide(&p, &n.terms[0], &multiple, &rest);
	struct poly i = poly_name("i");
	CHECK(poly_equal(&rest, &i) && multiple.nr == 2);
	struct poly twice = times(poly_number(2), n);
	poly_divide(&p, &twice.terms[0], &multiple, &rest);
	CHECK(multiple.nr == 1 && rest.nr == 2);
}

TEST_MAIN()
