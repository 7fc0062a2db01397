/* Machines that lack something: made here by taking it away. What is lacking is said, what is
 * essential is refused unless weak isolation was accepted. */
#include "sys/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "side_rig.h"

static void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

/* A user namespace of our own in which no further one can be made. We are root in it, and 70000
 * users are mapped as in a container. The helper writes the maps: they need rights outside. */
static void live_without_user_namespaces(void)
{
	int go[2];
	int done[2];
	pid_t self = getpid();
	if (geteuid() != 0)
		SKIP("only root can map several users");
	CHECK(pipe(go) == 0 && pipe(done) == 0);
	pid_t helper = fork();
	if (helper == 0) {
		char byte = 0;
		AUTO_FREE char *uid = xasprintf("/proc/%ld/uid_map", (long)self);
		AUTO_FREE char *gid = xasprintf("/proc/%ld/gid_map", (long)self);
		CHECK(read(go[0], &byte, 1) == 1);
		write_to(uid, "0 0 70000");
		write_to(gid, "0 0 70000");
		CHECK(write(done[1], "d", 1) == 1);
		_exit(0);
	}
	char byte = 0;
	if (unshare(CLONE_NEWUSER) < 0)
		SKIP("no user namespaces to begin with");
	CHECK(write(go[1], "g", 1) == 1 && read(done[0], &byte, 1) == 1);
	waitpid(helper, NULL, 0);
	write_to("/proc/sys/user/max_user_namespaces", "0");
}

static void become_ordinary(void)
{
	if (getuid() == 1000)
		return;
	CHECK(setgroups(0, NULL) == 0);
	CHECK(setresgid(1000, 1000, 1000) == 0);
	CHECK(setresuid(1000, 1000, 1000) == 0);
}

static const char adds[] = RIG_ENTRY "{ for (long i = 0; i < N; i++) OUT[i] = IN[i] + 1; }";

/* Taking things away can not be undone, so it happens in a child and we clean up after it. */
static void in_poor_child(const char *source, void (*body)(struct rig *))
{
	struct rig r;
	rig_build(&r, source, "-O2");
	CHECK(chmod(r.dir, 0755) == 0);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		rig_map(&r);
		live_without_user_namespaces();
		body(&r);
		exit(0);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	rig_close(&r); /* its regions were never mapped here */
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static void run_as_container_root(struct rig *r)
{
	struct err e = { 0 };
	rig_start(r);
	CHECK_INT(r->st.end, SIDE_ALIVE);
	CHECK(sandbox_lacks_has(side_lacks(r->side), SANDBOX_user_ns));
	CHECK(!sandbox_lacks_has(side_lacks(r->side), SANDBOX_net_ns));
	rig_call(r, NS_PER_S);
	CHECK(rig_out(r)[7] == 8.0F);
	AUTO_FREE char *path = xasprintf("/proc/%ld/status", (long)side_pid(r->side));
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(path, 1 << 16, &text, &e));
	CHECK(strstr(text.text, "\nUid:\t65534\t65534\t65534\t65534\n"));
}

TEST(root_without_user_namespaces_uses_the_others_and_becomes_nobody)
{
	in_poor_child(adds, run_as_container_root);
}

static void start_weakly(struct rig *r)
{
	struct side_spec spec = rig_spec(r);
	become_ordinary();
	spec.accept_weak = true;
	rig_start_spec(r, &spec);
	CHECK_INT(r->st.end, SIDE_ALIVE);
}

static void be_refused_then_accept(struct rig *r)
{
	struct err e = { 0 };
	struct side_spec spec = rig_spec(r);
	become_ordinary();
	CHECK(side_start(&r->side, &spec, &r->st, &e) < 0);
	CHECK(strstr(e.text, "no namespaces"));
	start_weakly(r);
	CHECK(sandbox_lacks_has(side_lacks(r->side), SANDBOX_net_ns));
	CHECK(sandbox_lacks_has(side_lacks(r->side), SANDBOX_mount_ns));
	CHECK(!sandbox_lacks_has(side_lacks(r->side), SANDBOX_landlock));
	rig_call(r, NS_PER_S);
	CHECK_INT(r->st.end, SIDE_ALIVE);
	CHECK(rig_out(r)[7] == 8.0F);
}

TEST(without_any_namespace_nothing_runs_unless_weakness_is_accepted)
{
	in_poor_child(adds, be_refused_then_accept);
}

static void try_to_open(struct rig *r)
{
	start_weakly(r);
	rig_call(r, NS_PER_S);
	CHECK_INT(r->st.end, SIDE_FORBIDDEN);
	CHECK_INT(r->st.syscall_nr, SYS_openat);
}

TEST(weak_isolation_still_filters_calls)
{
	in_poor_child(RIG_ENTRY "{ sys(257, -100, (long)\"/etc/passwd\", 0, 0); }", try_to_open);
}

TEST(a_single_core_makes_every_wait_sleep)
{
	struct rig r;
	rig_open(&r, adds, "-O2");
	r.cpus.nr = 1;
	rig_start(&r);
	CHECK_INT(r.st.end, SIDE_ALIVE);
	CHECK(side_sleeps(r.side));
	struct err e = { 0 };
	CHECK_OK(cpu_pin_list(&r.cpus, &e));
	for (int i = 0; i < 20; i++)
		rig_call(&r, NS_PER_S);
	CHECK_INT(r.st.end, SIDE_ALIVE);
	CHECK(rig_out(&r)[7] == 8.0F);
	rig_close(&r);
}

TEST(a_program_that_others_may_not_read_is_copied)
{
	struct err e = { 0 };
	struct rig r;
	rig_open(&r, adds, "-O2");
	AUTO_FREE char *copy = path_join(r.dir, "private-runner");
	CHECK_OK(file_copy(r.runner, copy, &e));
	CHECK(chmod(copy, 0700) == 0 && chmod(r.so, 0600) == 0);
	struct side_spec spec = rig_spec(&r);
	spec.runner_path = copy;
	rig_start_spec(&r, &spec);
	CHECK_INT(r.st.end, SIDE_ALIVE);
	rig_call(&r, NS_PER_S);
	CHECK_INT(r.st.end, SIDE_ALIVE);
	rig_close(&r);
}

TEST(the_probe_finds_what_a_start_finds)
{
	struct sandbox_lacks probe;
	struct rig r;
	rig_open(&r, adds, "-O2");
	struct side_spec spec = rig_spec(&r);
	spec.accept_weak = true;
	rig_start_spec(&r, &spec);
	sandbox_probe(&probe);
	for (int m = 0; m < SANDBOX_NR_MECHANISMS; m++) {
		enum sandbox_mechanism mechanism = (enum sandbox_mechanism)m;
		bool lacks = sandbox_lacks_has(&probe, mechanism);
		printf("# %-14s %s\n", sandbox_mechanism_name(mechanism), lacks ? "no" : "yes");
		CHECK_INT(lacks, sandbox_lacks_has(side_lacks(r.side), mechanism));
	}
	rig_close(&r);
}

static bool is_grave(enum sandbox_mechanism m, bool without_root)
{
	struct sandbox_lacks l = { 0 };
	sandbox_lack_add(&l, m, 0);
	if (without_root)
		sandbox_lack_add(&l, SANDBOX_mount_ns, 0);
	return sandbox_lack_is_grave(&l, m);
}

TEST(a_lack_is_grave_when_one_layer_or_none_is_left)
{
	CHECK(is_grave(SANDBOX_seccomp, false));
	CHECK(is_grave(SANDBOX_net_ns, false));
	CHECK(is_grave(SANDBOX_mount_ns, false));
	CHECK(!is_grave(SANDBOX_landlock, false));
	CHECK(is_grave(SANDBOX_landlock, true));
	CHECK(!is_grave(SANDBOX_memory_cgroup, true));
	const struct sandbox_lacks none = { 0 };
	CHECK(!sandbox_lack_is_grave(&none, SANDBOX_seccomp));
}

TEST(a_lack_has_a_name_to_accept_it_by)
{
	AUTO_FREE char *name = sandbox_lack_name("mount_ns");
	CHECK_TEXT(name, "no-mount-ns");
}

TEST_MAIN()
