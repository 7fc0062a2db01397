#include "sys/device_lock.h"

#include "base/err.h"
#include "test.h"

/* Devices that no machine has, so that no other job of this one is in the way. */
TEST(a_device_in_use_is_nobody_elses)
{
	struct err e = { 0 };
	const struct cpu_list none = { 0 };
	struct device_lock first = { 0 };
	struct device_lock second = { 0 };
	CHECK_OK(device_lock_take(&first, &none, "test-7,test-9", &e));
	CHECK(device_lock_take(&second, &none, "test-8,test-9", &e) < 0);
	CHECK_INT(e.kind, ERR_CONFLICT);
	CHECK(strstr(e.text, "gpu-test-9"));
	/* What was taken before it was found in use is free again. */
	CHECK_OK(device_lock_take(&second, &none, "test-8", &e));
	device_lock_release(&second);
	device_lock_release(&first);
	CHECK_OK(device_lock_take(&second, &none, "test-9", &e));
	device_lock_release(&second);
}

TEST(cores_are_locked_one_by_one)
{
	struct err e = { 0 };
	const struct cpu_list both = { .nr = 2, .ids = { 60001, 60002 } };
	const struct cpu_list last = { .nr = 1, .ids = { 60002 } };
	const struct cpu_list other = { .nr = 1, .ids = { 60003 } };
	struct device_lock first = { 0 };
	struct device_lock second = { 0 };
	CHECK_OK(device_lock_take(&first, &both, NULL, &e));
	CHECK(device_lock_take(&second, &last, NULL, &e) < 0);
	CHECK(strstr(e.text, "core-60002"));
	CHECK_OK(device_lock_take(&second, &other, "", &e));
	device_lock_release(&second);
	device_lock_release(&first);
}

TEST(a_name_of_a_device_leads_nowhere_else)
{
	struct err e = { 0 };
	const struct cpu_list none = { 0 };
	struct device_lock l = { 0 };
	CHECK_OK(device_lock_take(&l, &none, "../test", &e));
	CHECK(access("/tmp/forge-device-gpu-___test.lock", F_OK) == 0);
	device_lock_release(&l);
}

TEST_MAIN()
