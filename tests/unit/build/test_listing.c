#include "build/listing.h"

#include "build/compile.h"
#include "build/disasm.h"
#include "fixture.h"

static const char source[] =
	"#include <math.h>\n#include <stdint.h>\n"
	"static const float secret_table[4] = { 1, 2, 3, 4 };\n"
	"static __attribute__((noinline)) float secret_part(float v) { return v * v + 1; }\n"
	"__attribute__((noinline)) float secret_other(float v) { return expf(v); }\n" KERNEL
	"{ for (int64_t i = 0; i < n; i++) y[i] = secret_part(x[i]) * s + "
	"secret_other(x[i]) * secret_table[i & 3]; }\n";

TEST(a_listing_has_instructions_and_no_name_of_the_source)
{
	struct err e = { 0 };
	struct fixture f;
	fixture_init(&f, 1);
	AUTO_BUILD struct build b;
	AUTO_LISTING struct listing l = { .text = STR_INIT };
	fixture_build(&f, "gcc -O2", source, &b);
	check_passes(&b);
	CHECK_OK(listing_of_build(&f.spec, 0, 1 << 20, &l, &e));
	CHECK(!strstr(l.text.text, "secret"));
	CHECK(!strstr(l.text.text, "kernel"));
	CHECK(strstr(l.text.text, "f0:\n"));
	CHECK(strstr(l.text.text, "mulss"));
	CHECK(strstr(l.text.text, "expf"));
	CHECK_INT(l.next, l.nr);
	CHECK(l.nr > 10);
	fixture_release(&f);
}

TEST(a_long_listing_is_read_in_pieces)
{
	AUTO_DISASM struct disasm d;
	AUTO_LISTING struct listing first = { .text = STR_INIT };
	AUTO_LISTING struct listing rest = { .text = STR_INIT };
	disasm_parse(&d, "\nDisassembly of section .text:\n\n0000000000000000 <secret>:\n"
			 "   0:\tpush   %rbp\n   1:\tpop    %rbp\n   2:\tret\n");
	listing_print(&d, 0, 30, &first);
	CHECK_TEXT(first.text.text, "f0:\n     0: push %rbp\n");
	CHECK_INT(first.next, 1);
	CHECK_INT(first.nr, 3);
	listing_print(&d, first.next, 1000, &rest);
	CHECK_TEXT(rest.text.text, "     1: pop %rbp\n     2: ret\n");
	CHECK_INT(rest.next, 3);
}

TEST(names_in_operands_and_relocations_are_left_out)
{
	AUTO_DISASM struct disasm d;
	AUTO_LISTING struct listing l = { .text = STR_INIT };
	disasm_parse(&d, "\nDisassembly of section .text:\n\n0000000000000000 <secret>:\n"
			 "   0:\tmovss  0x0(%rip),%xmm0        # 8 <secret+0x8>\t4: R_X86_64_PC32\t"
			 "secret_table-0x4\n"
			 "   8:\tcall   d <secret+0xd>\t9: R_X86_64_PLT32\tsecret_fn-0x4\n"
			 "   d:\tcall   12 <secret+0x12>\te: R_X86_64_PLT32\tsqrtf-0x4\n"
			 "  12:\tjmp    0 <secret>\n"
			 "  14:\tsecret\"word\n");
	listing_print(&d, 0, 1000, &l);
	CHECK_TEXT(l.text.text, "f0:\n     0: movss 0x0(%rip),%xmm0\n     8: call elsewhere\n"
				"     d: call sqrtf\n    12: jmp 0\n    14: (withheld)\n");
}

TEST(of_a_log_only_places_are_told)
{
	AUTO_STR struct str out = STR_INIT;
	compile_log_places("kernel.c: In function 'kernel':\n"
			   "kernel.c:3:2: warning: #warning secret [-Wcpp]\n"
			   "    3 | #warning secret\n      |  ^~~~~~~\n"
			   "kernel.c:12:5: fatal error: secret.h: No such file\n"
			   "kernel.c:7: Error: no such instruction: `secret'\n"
			   "kernel.c:8:1: secret: error: not ours\n"
			   "secret.h:8:1: error: not ours\n"
			   "kernel.c:error: no place\n"
			   "kernel.c:9:2: error: the last line",
			   &out);
	CHECK_TEXT(out.text, "kernel.c:3:2: warning\nkernel.c:12:5: fatal error\n"
			     "kernel.c:7: Error\nkernel.c:9:2: error\n");
}

static void check_hides(const char *text, const char *log, const char *detail, bool from_cache)
{
	struct fixture f;
	fixture_init(&f, 1);
	AUTO_BUILD struct build open;
	AUTO_BUILD struct build sealed;
	f.spec.cache_dir = f.cache_dir;
	fixture_build(&f, "gcc -O2", text, &open);
	CHECK(strstr(open.log, "secret"));
	f.spec.hides_text = true;
	fixture_build(&f, "gcc -O2", text, &sealed);
	CHECK_TEXT(sealed.log, log);
	CHECK(!strstr(sealed.verdict.detail, "secret"));
	CHECK(str_starts(sealed.verdict.detail, detail));
	CHECK_INT(sealed.from_cache, from_cache);
	fixture_release(&f);
}

TEST(what_a_compiler_says_of_a_sealed_source_is_not_kept)
{
	check_hides("\n#warning secret\n#include <stdint.h>\n" SCALE, "kernel.c:2:2: warning\n", "",
		    true);
	check_hides("\n#include <stdint.h>\n" KERNEL "{ y[0] = secret; }\n",
		    "kernel.c:4:10: error\nkernel.c:4:10: note\n", "kernel.c:4:10: error; ", false);
}

TEST_MAIN()
