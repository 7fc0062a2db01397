/* What an object may not do, each tried for real by raw system calls. */
#include "sys/side.h"

#include <errno.h>
#include <signal.h>

#include "side_rig.h"

struct forbidden {
	const char *what;
	long nr;
	const char *body;
};

static const struct forbidden forbidden[] = {
	{ "open", SYS_open, "{ sys(2, (long)\"/etc/passwd\", 0, 0, 0); }" },
	{ "openat", SYS_openat, "{ sys(257, -100, (long)\"/etc/passwd\", 0, 0); }" },
	{ "socket", SYS_socket, "{ sys(41, 2, 2, 0, 0); }" },
	{ "fork", SYS_fork, "{ sys(57, 0, 0, 0, 0); }" },
	{ "clone", SYS_clone, "{ sys(56, 0x11, 0, 0, 0); }" },
	{ "execve", SYS_execve, "{ sys(59, (long)\"/bin/sh\", 0, 0, 0); }" },
	{ "kill all", SYS_kill, "{ sys(62, -1, 9, 0, 0); }" },
	{ "rt_sigaction", SYS_rt_sigaction, "{ sys(13, 11, 0, 0, 8); }" },
	{ "nanosleep", SYS_nanosleep, "{ long t[2] = { 0, 1 }; sys(35, (long)t, 0, 0, 0); }" },
	{ "clock_gettime", SYS_clock_gettime, "{ long t[2]; sys(228, 1, (long)t, 0, 0); }" },
	{ "ptrace", SYS_ptrace, "{ sys(101, 0, 0, 0, 0); }" },
	{ "io_uring", SYS_io_uring_setup, "{ char p[120]; sys(425, 1, (long)p, 0, 0); }" },
	{ "map executable", SYS_mmap, "{ sys(9, 0, 4096, 7, 0x22); }" },
	{ "turn executable", SYS_mprotect, "{ sys(10, (long)OUT, 4096, 5, 0); }" },
	{ "write to a descriptor", SYS_write, "{ sys(1, 1, (long)\"x\", 1, 0); }" },
	{ "move to another core", SYS_sched_setaffinity,
	  "{ long m = 1; sys(203, 0, 8, (long)&m, 0); }" },
	{ "loosen the filter", SYS_seccomp, "{ sys(317, 1, 0, 0, 0); }" },
};

/* One object for all: the third argument picks the deed. */
static char *forbidden_source(void)
{
	AUTO_STR struct str text = STR_INIT;
	str_add(&text, RIG_ENTRY "{ switch (N) {");
	for (size_t i = 0; i < ARRAY_LEN(forbidden); i++)
		str_addf(&text, "case %zu: %s break;\n", i + 1, forbidden[i].body);
	str_add(&text, "} }");
	return str_take(&text);
}

static void check_forbidden(struct rig *r, size_t i)
{
	const struct forbidden *f = &forbidden[i];
	rig_start(r);
	r->n = (int64_t)i + 1;
	rig_call(r, NS_PER_S);
	printf("# %s: %s, %s\n", f->what, side_end_name(r->st.end), r->st.text);
	CHECK_INT(r->st.end, SIDE_FORBIDDEN);
	CHECK_INT(r->st.syscall_nr, f->nr);
	side_free(&r->side);
}

TEST(each_forbidden_call_dies_and_is_named)
{
	struct rig r;
	AUTO_FREE char *source = forbidden_source();
	rig_open(&r, source, "-O2");
	for (size_t i = 0; i < ARRAY_LEN(forbidden); i++)
		check_forbidden(&r, i);
	rig_close(&r);
}

TEST(a_call_by_the_32_bit_gate_dies)
{
	struct side_state st = rig_end_of(
		RIG_ENTRY
		"{ __asm__ volatile(\"int $0x80\" :: \"a\"(20) : \"memory\"); OUT[0] = 1; }",
		"-O2");
	CHECK_INT(st.end, SIDE_FORBIDDEN);
}

TEST(a_fork_bomb_dies_at_its_first_fork)
{
	struct side_state st =
		rig_end_of("int fork(void);" RIG_ENTRY "{ for (;;) fork(); }", "-O2");
	CHECK_INT(st.end, SIDE_FORBIDDEN);
}

TEST(a_kernel_can_make_no_thread)
{
	struct side_state st =
		rig_end_of("int pthread_create(unsigned long *, void *, void *(*)(void *), void *);"
			   "static void *f(void *x) { return x; }" RIG_ENTRY
			   "{ unsigned long t; pthread_create(&t, 0, f, 0); }",
			   "-O2");
	CHECK_INT(st.end, SIDE_FORBIDDEN);
	CHECK(st.syscall_nr == SYS_clone3 || st.syscall_nr == SYS_clone);
}

/* By the cgroup where there is one, else by RLIMIT_DATA and the null pointer that follows. */
TEST(a_memory_hog_ends_by_memory)
{
	struct side_state st = rig_end_of(
		"void *malloc(unsigned long); void *memset(void *, int, unsigned long);" RIG_ENTRY
		"{ for (;;) memset(malloc(1 << 20), 1, 1 << 20); }",
		"-O2");
	CHECK_INT(st.end, SIDE_MEMORY);
}

TEST(code_that_runs_at_load_time_is_refused)
{
	struct side_state st = rig_end_of("__attribute__((constructor)) static void f(void)"
					  "{ sys(2, (long)\"/etc/passwd\", 0, 0, 0); }" RIG_ENTRY
					  "{ OUT[0] = 1; }",
					  "-O2");
	CHECK_INT(st.end, SIDE_FORBIDDEN);
	CHECK(strstr(st.text, "runs when it is loaded"));
}

TEST(an_indirect_function_is_refused)
{
	struct side_state st =
		rig_end_of("static void g(void *const *args) { OUT[0] = 1; }"
			   "static void *pick(void) { return (void *)g; }"
			   "void forge_entry(void *const *args) __attribute__((ifunc(\"pick\")));"
			   "void (*keep)(void *const *) = forge_entry;",
			   "-O2");
	CHECK_INT(st.end, SIDE_FORBIDDEN);
}

/* Codes of errors that the calls which stage one still allows give inside the jail. The filter of
 * stage two ends a kernel at the first such call, so this is asked of the launcher itself. */
TEST(the_jail_shows_no_files_no_network_and_no_process)
{
	struct err e = { 0 };
	AUTO_FREE char *program = proc_find("ls");
	char dir[] = "/tmp/forge-jail-XXXXXX";
	CHECK(program && mkdtemp(dir));
	AUTO_FREE char *source = path_join(dir, "spy.c");
	AUTO_FREE char *spy = path_join(dir, "spy");
	CHECK_OK(file_write_text(
		source,
		"#include <dirent.h>\n#include <errno.h>\n#include <fcntl.h>\n#include <signal.h>\n"
		"#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n"
		"#include <sys/socket.h>\n#include <netinet/in.h>\n"
		"static void list(FILE *o, const char *p) { DIR *d = opendir(p); struct dirent "
		"*x;\n"
		"  fprintf(o, \"%s:\", p); while (d && (x = readdir(d))) if (x->d_name[0] != '.')\n"
		"  fprintf(o, \" %s\", x->d_name); fprintf(o, \"\\n\"); }\n"
		"int main(void) { FILE *o = fdopen(3, \"w\"); list(o, \"/\"); list(o, \"/tmp\");\n"
		"  fprintf(o, \"passwd %d\\n\", open(\"/etc/passwd\", O_RDONLY) < 0 ? errno : 0);\n"
		"  fprintf(o, \"proc %d\\n\", open(\"/proc/self/mem\", O_RDWR) < 0 ? errno : 0);\n"
		"  fprintf(o, \"create %d\\n\", open(\"/x\", O_CREAT | O_WRONLY, 0600) < 0 ? errno "
		": 0);\n"
		"  struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(9) };\n"
		"  a.sin_addr.s_addr = htonl(0x7f000001); int s = socket(AF_INET, SOCK_DGRAM, 0);\n"
		"  fprintf(o, \"udp %d\\n\", sendto(s, \"x\", 1, 0, (void *)&a, sizeof a) < 0 ? "
		"errno : 0);\n"
		"  fprintf(o, \"pid %d parent %d\\n\", getpid(), getppid());\n"
		"  fprintf(o, \"kill %d\\n\", kill(-1, 0) < 0 ? errno : 0);\n"
		"  fprintf(o, \"uid %d\\n\", (int)getuid()); fflush(o); pause(); }\n",
		&e));
	AUTO_PROC_RESULT struct proc_result built = { 0 };
	struct proc_spec gcc = { .argv = (const char *const[]){ "gcc", "-w", "-o", spy, source,
								NULL } };
	CHECK_OK(proc_run(&built, &gcc, &e));
	CHECK(proc_result_is_ok(&built));
	int ends[2];
	CHECK(pipe(ends) == 0);
	struct sandbox box;
	struct sandbox_spec spec = {
		.program_path = spy,
		.object_path = source,
		.fds = &ends[1],
		.nr_fds = 1,
		.memory_bytes = 32 << 20,
		.max_tasks = 4,
	};
	int status = sandbox_start(&box, &spec, &e);
	CHECK_OK(tree_remove(dir, &e));
	if (status < 0 && strstr(e.text, "gives us no namespaces"))
		SKIP(e.text);
	CHECK_OK(status);
	char said[1024] = "";
	size_t len = 0;
	while (len < sizeof(said) - 1 && !strstr(said, "uid ")) {
		ssize_t n = read(ends[0], said + len, sizeof(said) - 1 - len);
		CHECK(n > 0);
		len += (size_t)n;
		said[len] = 0;
	}
	sandbox_stop(&box, NULL);
	AUTO_FREE char *want = xasprintf("passwd %d\nproc %d\ncreate %d\nudp %d\npid 1 parent 0\n"
					 "kill %d\nuid 65534\n",
					 ENOENT, ENOENT, EROFS, ENETUNREACH, ESRCH);
	char *rest = strstr(said, "passwd");
	CHECK(rest);
	CHECK_TEXT(rest, want);
	*rest = 0;
	/* The root: the object and the libraries, in whatever order. */
	CHECK(strstr(said, "k.so") && strstr(said, "lib"));
	CHECK(!strstr(said, "etc") && !strstr(said, "proc") && !strstr(said, "home"));
	CHECK(strstr(said, "/tmp:\n"));
}

TEST(a_runner_holds_no_privilege_and_is_filtered)
{
	struct rig r;
	rig_open(&r, RIG_ENTRY "{ OUT[0] = 1; }", "-O2");
	rig_start(&r);
	CHECK_INT(r.st.end, SIDE_ALIVE);
	AUTO_FREE char *path = xasprintf("/proc/%ld/status", (long)side_pid(r.side));
	AUTO_STR struct str text = STR_INIT;
	struct err e = { 0 };
	CHECK_OK(file_read(path, 1 << 16, &text, &e));
	CHECK(strstr(text.text, "\nNoNewPrivs:\t1\n"));
	CHECK(strstr(text.text, "\nSeccomp:\t2\n"));
	CHECK(strstr(text.text, "\nCapEff:\t0000000000000000\n"));
	CHECK(strstr(text.text, "\nCapBnd:\t0000000000000000\n"));
	rig_close(&r);
}

/* madvise and mremap: what malloc does with them, and what reaches others or moves over what is
 * there.
 */
TEST(advice_about_shared_pages_is_forbidden_and_that_of_free_is_not)
{
	static const struct {
		const char *call;
		enum side_end end;
	} rows[] = {
		{ "sys(28, (long)OUT, 4096, 4, 0)", SIDE_ALIVE },        /* MADV_DONTNEED */
		{ "sys(28, (long)OUT, 4096, 9, 0)", SIDE_FORBIDDEN },    /* MADV_REMOVE */
		{ "sys(28, (long)OUT, 4096, 21, 0)", SIDE_FORBIDDEN },   /* MADV_PAGEOUT */
		{ "sys(28, (long)IN, 4096, 14, 0)", SIDE_FORBIDDEN },    /* MADV_HUGEPAGE */
		{ "sys(25, (long)OUT, 4096, 4096, 1)", SIDE_ALIVE },     /* MREMAP_MAYMOVE */
		{ "sys(25, (long)OUT, 4096, 4096, 3)", SIDE_FORBIDDEN }, /* and MREMAP_FIXED */
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *source =
			xasprintf(RIG_ENTRY "{ OUT[0] = (float)%s; }", rows[i].call);
		CHECK_INT(rig_end_of(source, "-O1").end, rows[i].end);
	}
}

TEST_MAIN()
