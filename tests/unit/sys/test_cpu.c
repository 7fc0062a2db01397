#include "sys/cpu.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

/* alone: measures memory */

static const char cpuinfo_epyc[] =
	"processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n"
	"model name\t: AMD EPYC 7763 64-Core Processor\nstepping\t: 1\n"
	"flags\t\t: fpu sse4_2 avx f16c hypervisor avx2 fma bmi2 clflushopt\n\n"
	"processor\t: 1\nmodel name\t: other\n";
static const char cpuinfo_xeon[] =
	"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
	"model name\t: Intel(R) Xeon(R) Platinum 8480+\nstepping\t: 8\n"
	"flags\t\t: avx avx2 fma avx512f avx512bw avx512vl amx_tile amx_bf16\n";
static const char cpuinfo_arm[] = "processor\t: 0\nBogoMIPS\t: 50.00\n"
				  "Features\t: fp asimd aes asimdhp sve\n"
				  "CPU implementer\t: 0x41\nCPU part\t: 0xd40\n";

TEST(a_virtual_epyc_is_read_from_its_recorded_text)
{
	struct cpu_info c = { 0 };
	cpu_parse_cpuinfo(&c, cpuinfo_epyc);
	CHECK_TEXT(c.model, "AMD EPYC 7763 64-Core Processor");
	CHECK_TEXT(c.vendor, "AuthenticAMD");
	CHECK_TEXT(c.isa, "sse4_2 avx f16c fma avx2 bmi2");
	CHECK_INT(c.family, 25);
	CHECK_INT(c.model_nr, 1);
	CHECK(c.is_virtual);
}

TEST(a_real_xeon_shows_its_wide_units)
{
	struct cpu_info c = { 0 };
	cpu_parse_cpuinfo(&c, cpuinfo_xeon);
	CHECK_INT(c.model_nr, 143);
	CHECK_TEXT(c.isa, "avx fma avx2 avx512f avx512bw avx512vl amx_tile amx_bf16");
	CHECK(!c.is_virtual);
}

TEST(an_arm_without_model_name_is_still_described)
{
	struct cpu_info c = { 0 };
	cpu_parse_cpuinfo(&c, cpuinfo_arm);
	CHECK_TEXT(c.vendor, "0x41");
	CHECK_TEXT(c.isa, "asimd asimdhp sve");
}

TEST(text_that_is_no_cpuinfo_gives_nothing)
{
	struct cpu_info c = { 0 };
	cpu_parse_cpuinfo(&c, "");
	cpu_parse_cpuinfo(&c, "model name");
	cpu_parse_cpuinfo(&c, "model name\t:");
	CHECK_TEXT(c.model, "");
	CHECK_TEXT(c.isa, "");
}

TEST(sizes_of_sysfs_become_bytes)
{
	CHECK_INT(cpu_parse_size("32K"), 32768);
	CHECK_INT(cpu_parse_size("32768K"), 32 << 20);
	CHECK_INT(cpu_parse_size("1M"), 1 << 20);
	CHECK_INT(cpu_parse_size("512"), 512);
	CHECK_INT(cpu_parse_size(""), 0);
	CHECK_INT(cpu_parse_size("-5K"), 0);
	CHECK_INT(cpu_parse_size("99999999999999999999G"), 0);
}

TEST(pressure_and_steal_are_read_from_recorded_text)
{
	struct cpu_load l = { 0 };
	CHECK(cpu_parse_psi(&l, "some avg10=12.50 avg60=3.00 avg300=1.00 total=4045301\n"
				"full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"));
	CHECK(l.has_psi && l.psi_some_avg10 == 12.5);
	CHECK_INT(l.psi_some_us, 4045301);
	CHECK(!cpu_parse_psi(&l, "nonsense"));
	CHECK(cpu_parse_stat(&l, "cpu  10 20 30 40 50 60 70 80 90 100\ncpu0 1 2 3 4\n"));
	CHECK_INT(l.steal_ticks, 80);
	CHECK_INT(l.total_ticks, 360);
	CHECK(!cpu_parse_stat(&l, "intr 5"));
}

TEST(this_machine_has_a_cpu)
{
	struct cpu_info c;
	struct cpu_load l;
	cpu_read(&c);
	cpu_load_read(&l);
	CHECK(c.nr_online >= 1 && c.nr_usable >= 1);
	CHECK(c.memory_bytes > 1 << 20);
	CHECK(c.kernel[0] && c.line_bytes >= 16);
	CHECK(l.tick_hz > 0 && l.total_ticks > 0);
}

TEST(pinning_narrows_and_the_list_widens_again)
{
	struct err e = { 0 };
	struct cpu_list all;
	struct cpu_list now;
	CHECK_OK(cpu_usable(&all, &e));
	CHECK_OK(cpu_pin(all.ids[all.nr - 1], &e));
	CHECK_OK(cpu_usable(&now, &e));
	CHECK_INT(now.nr, 1);
	CHECK_INT(now.ids[0], all.ids[all.nr - 1]);
	CHECK_OK(cpu_pin_list(&all, &e));
	CHECK_OK(cpu_usable(&now, &e));
	CHECK_INT(now.nr, all.nr);
	CHECK(cpu_pin(CPU_LIST_MAX, &e) < 0);
}

enum { FLUSH_BYTES = 4 << 20 };

static uint64_t read_all_ns(const volatile unsigned char *p)
{
	uint64_t start = clock_mono_ns();
	for (size_t i = 0; i < FLUSH_BYTES; i += 64)
		(void)p[i];
	return clock_mono_ns() - start;
}

/* Random order would be surer, but even with prefetching memory is slower than cache. The quickest
 * of several goes, because other work may run here. */
TEST(flushed_lines_take_longer_to_read)
{
	if (!cpu_can_flush())
		SKIP("no flush instruction known for this architecture");
	AUTO_FREE unsigned char *p = xmalloc(FLUSH_BYTES);
	memset(p, 1, FLUSH_BYTES);
	uint64_t warm = UINT64_MAX;
	uint64_t cold = UINT64_MAX;
	for (int i = 0; i < 20; i++) {
		cpu_flush(p, FLUSH_BYTES);
		uint64_t first = read_all_ns(p);
		uint64_t second = read_all_ns(p);
		cold = first < cold ? first : cold;
		warm = second < warm ? second : warm;
	}
	printf("# %d MiB: cold %llu us, warm %llu us\n", FLUSH_BYTES >> 20,
	       (unsigned long long)cold / 1000, (unsigned long long)warm / 1000);
	CHECK(cold > warm);
}

TEST(flushing_odd_ranges_changes_no_byte)
{
	unsigned char bytes[300];
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)i;
	cpu_flush(bytes + 1, 0);
	cpu_flush(bytes + 3, 200);
	for (size_t i = 0; i < sizeof(bytes); i++)
		CHECK_INT(bytes[i], (unsigned char)i);
}

TEST(a_fingerprint_is_of_the_machine_and_not_of_its_kernel)
{
	struct cpu_info c = { 0 };
	char one[CPU_FINGERPRINT_LEN + 1];
	char other[CPU_FINGERPRINT_LEN + 1];
	cpu_parse_cpuinfo(&c, cpuinfo_epyc);
	cpu_fingerprint(&c, one);
	CHECK_INT(strlen(one), CPU_FINGERPRINT_LEN);
	snprintf(c.kernel, sizeof(c.kernel), "another");
	c.nr_usable = 1; /* of this process, not of the machine */
	cpu_fingerprint(&c, other);
	CHECK_TEXT(one, other);
	c.l3_bytes = 1;
	cpu_fingerprint(&c, other);
	CHECK(!str_equal(one, other));
}

TEST_MAIN()
