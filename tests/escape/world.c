#include "tests/escape/world.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"

enum { SURVIVOR_LOOKS = 100 };
enum { EAR_TCP4, EAR_TCP6, EAR_UDP4, EAR_UDP6, EAR_PATH, EAR_NAME };
static const char *const ear_names[] = { "TCP on IPv4", "TCP on IPv6",     "UDP on IPv4",
					 "UDP on IPv6", "a socket's path", "an abstract socket" };

/* Descriptors that careless code would pass on. */
static const int kept_fds[] = { 77, 300, 1500 };

static _Noreturn void give_up(const char *what)
{
	printf("check-escape: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void need(bool ok, const char *what)
{
	if (!ok)
		give_up(what);
}

static void need_ok(int status, const struct err *e)
{
	if (status < 0) {
		printf("check-escape: %s\n", e->text);
		exit(1);
	}
}

/* The victim. */

static int told_fd;

static void tell(int signal_nr)
{
	char byte = (char)signal_nr;
	if (write(told_fd, &byte, 1) != 1)
		_exit(1);
}

_Noreturn void victim_live(const char *secret)
{
	static char memory[64];
	told_fd = 1;
	snprintf(memory, sizeof(memory), "%s", getenv("FORGE_ESCAPE_KEY"));
	for (int i = 1; i < NSIG; i++)
		signal(i, tell);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	int fd = open(secret, O_RDONLY);
	struct {
		uint64_t address;
		int32_t fd;
	} about = { (uint64_t)(uintptr_t)memory, fd };
	if (write(1, &about, sizeof(about)) != (ssize_t)sizeof(about))
		_exit(1);
	for (;;) {
		struct pollfd none = { .fd = 0, .events = POLLIN };
		char byte = 0;
		if (poll(&none, 1, -1) <= 0)
			continue;
		/* It ends with the check, which holds the other end. */
		if (read(0, &byte, 1) <= 0)
			_exit(0);
		byte = 0;
		if (write(1, &byte, 1) != 1)
			_exit(0);
	}
}

static void start_victim(struct world *w, const char *self)
{
	int out[2];
	int in[2];
	struct {
		uint64_t address;
		int32_t fd;
	} about;
	need(pipe2(out, O_CLOEXEC) == 0 && pipe2(in, O_CLOEXEC) == 0, "pipe");
	w->victim = fork();
	need(w->victim >= 0, "fork");
	if (w->victim == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(self, self, "--victim", w->scene.secret, (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	close(in[0]);
	need(read(out[0], &about, sizeof(about)) == (ssize_t)sizeof(about), "start the victim");
	w->victim_pipe = out[0];
	w->victim_in = in[1];
	w->scene.victim = (int32_t)w->victim;
	w->scene.victim_address = about.address;
	w->scene.victim_fd = about.fd;
}

/* Sockets. */

static int listen_on(int family, int type, int32_t *port)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback };
	struct sockaddr_in four = { .sin_family = AF_INET };
	four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	struct sockaddr *at =
		family == AF_INET ? (struct sockaddr *)&four : (struct sockaddr *)&six;
	socklen_t len = family == AF_INET ? sizeof(four) : sizeof(six);
	int fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, at, len) < 0 || (type == SOCK_STREAM && listen(fd, 8) < 0) ||
	    getsockname(fd, at, &len) < 0)
		return -1; /* a machine without IPv6 */
	*port = ntohs(family == AF_INET ? four.sin_port : six.sin6_port);
	return fd;
}

static int listen_by_name(const char *path, const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	size_t len = 0;
	if (path)
		snprintf(at.sun_path, sizeof(at.sun_path), "%.100s", path);
	else
		memcpy(at.sun_path + 1, name, len = strlen(name));
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t whole =
		path ? sizeof(at) : (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len);
	need(fd >= 0 && bind(fd, (struct sockaddr *)&at, whole) == 0 && listen(fd, 8) == 0,
	     "listen");
	return fd;
}

static void open_ears(struct world *w)
{
	struct scene *s = &w->scene;
	w->ears[EAR_TCP4] = listen_on(AF_INET, SOCK_STREAM, &s->tcp4);
	w->ears[EAR_TCP6] = listen_on(AF_INET6, SOCK_STREAM, &s->tcp6);
	w->ears[EAR_UDP4] = listen_on(AF_INET, SOCK_DGRAM, &s->udp4);
	w->ears[EAR_UDP6] = listen_on(AF_INET6, SOCK_DGRAM, &s->udp6);
	snprintf(s->socket_path, sizeof(s->socket_path), "%s/sockets/s", w->dir);
	snprintf(s->socket_name, sizeof(s->socket_name), "forge-escape-%s", s->token);
	w->ears[EAR_PATH] = listen_by_name(s->socket_path, NULL);
	w->ears[EAR_NAME] = listen_by_name(NULL, s->socket_name);
	chmod(s->socket_path, 0777);
}

static bool has_heard(int fd, bool is_stream)
{
	char text[64];
	bool heard = false;
	for (;;) {
		int peer = is_stream ? accept4(fd, NULL, NULL, SOCK_CLOEXEC) : -1;
		if (is_stream ? peer < 0 : recv(fd, text, sizeof(text), 0) < 0)
			return heard;
		heard = true;
		if (peer >= 0)
			close(peer);
	}
}

/* Shared memory, queues, keys. */

static void open_ipc(struct world *w)
{
	struct scene *s = &w->scene;
	s->ipc_key = (int32_t)(getpid() | 0x5f000000);
	w->shm_id = shmget(s->ipc_key, 4096, IPC_CREAT | 0666);
	w->msg_id = msgget(s->ipc_key, IPC_CREAT | 0666);
	w->sem_id = semget(s->ipc_key, 1, IPC_CREAT | 0666);
	char *at = w->shm_id < 0 ? (char *)-1 : shmat(w->shm_id, NULL, 0);
	if (at != (char *)-1)
		memcpy(at, s->token, TOKEN_LEN);
	snprintf(s->shm_name, sizeof(s->shm_name), "/forge-escape-%s", s->token);
	snprintf(s->queue_name, sizeof(s->queue_name), "/forge-escape-%s", s->token);
	struct err e = { 0 };
	AUTO_FREE char *path = xasprintf("/dev/shm%s", s->shm_name);
	if (file_write_text(path, s->token, &e) == 0)
		chmod(path, 0666);
	syscall(SYS_mq_open, s->queue_name + 1, O_RDWR | O_CREAT, 0666, NULL);
	snprintf(s->key_name, sizeof(s->key_name), "forge-escape-%s", s->token);
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	syscall(SYS_add_key, "user", s->key_name, s->token, TOKEN_LEN, KEY_SPEC_SESSION_KEYRING);
	syscall(SYS_add_key, "user", s->key_name, s->token, TOKEN_LEN, KEY_SPEC_USER_KEYRING);
}

static void close_ipc(struct world *w)
{
	AUTO_FREE char *path = xasprintf("/dev/shm%s", w->scene.shm_name);
	unlink(path);
	shmctl(w->shm_id, IPC_RMID, NULL);
	msgctl(w->msg_id, IPC_RMID, NULL);
	semctl(w->sem_id, 0, IPC_RMID);
	syscall(SYS_mq_unlink, w->scene.queue_name + 1);
	long key = syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user",
			   w->scene.key_name, 0);
	if (key > 0)
		syscall(SYS_keyctl, KEYCTL_UNLINK, key, KEY_SPEC_USER_KEYRING);
}

/* Files. */

static void draw_names(struct scene *s)
{
	struct err e = { 0 };
	uint64_t a = 0;
	uint64_t b = 0;
	need_ok(rng_draw_seed(&a, &e), &e);
	need_ok(rng_draw_seed(&b, &e), &e);
	snprintf(s->token, sizeof(s->token), "%016llx%016llx", (unsigned long long)a,
		 (unsigned long long)b);
	snprintf(s->mark, sizeof(s->mark), "esc%012llx", (unsigned long long)(b >> 16));
}

static void put(const char *path, const char *text)
{
	struct err e = { 0 };
	need_ok(file_write_text(path, text, &e), &e);
	chmod(path, 0666);
}

static void make_files(struct world *w)
{
	struct err e = { 0 };
	struct stat st;
	struct scene *s = &w->scene;
	AUTO_FREE char *sockets = path_join(w->dir, "sockets");
	AUTO_FREE char *task = xasprintf("%s/run/task", w->dir);
	AUTO_FREE char *journal = xasprintf("%s/run/events.jsonl", w->dir);
	AUTO_FREE char *sealed = xasprintf("%s/run/task/kernel.c", w->dir);
	snprintf(s->canary, sizeof(s->canary), "%s/canary", w->dir);
	snprintf(s->secret, sizeof(s->secret), "%s/canary/secret", w->dir);
	snprintf(s->run, sizeof(s->run), "%s/run", w->dir);
	w->workspace = xasprintf("%s/run/agents/student-work", w->dir);
	need_ok(dir_make(s->canary, &e), &e);
	need_ok(dir_make(sockets, &e), &e);
	need_ok(dir_make(task, &e), &e);
	need_ok(dir_make(w->workspace, &e), &e);
	put(s->secret, s->token);
	put(journal, s->token);
	put(sealed, s->token);
	const char *const open_dirs[] = { s->canary, sockets, s->run, task };
	for (size_t i = 0; i < ARRAY_LEN(open_dirs); i++)
		chmod(open_dirs[i], 0777);
	need(stat(s->secret, &st) == 0, "stat");
	s->device = st.st_dev;
}

static void keep_descriptors(const struct world *w)
{
	for (size_t i = 0; i < ARRAY_LEN(kept_fds); i++) {
		int fd = open(i ? w->scene.secret : w->scene.canary, O_RDONLY);
		need(fd >= 0, "open");
		dup2(fd, kept_fds[i]);
		close(fd);
	}
}

/* The run directory without what an agent may write. */
static int digest_run(const struct world *w, struct digest *out, struct err *e)
{
	AUTO_STR struct str both = STR_INIT;
	struct digest d;
	AUTO_FREE char *task = xasprintf("%s/task", w->scene.run);
	AUTO_FREE char *journal = xasprintf("%s/events.jsonl", w->scene.run);
	if (digest_tree(task, &d, e) < 0)
		return -1;
	str_add(&both, d.hex);
	if (digest_file(journal, &d, e) < 0)
		return -1;
	str_add(&both, d.hex);
	*out = digest_text(both.text);
	return 0;
}

void world_open(struct world *w, const char *self, const char *bin)
{
	struct err e = { 0 };
	*w = (struct world){ .dir = "/tmp/forge-escape-XXXXXX" };
	draw_names(&w->scene);
	need(mkdtemp(w->dir) && chmod(w->dir, 0755) == 0, "make a folder");
	w->attacker = path_join(bin, "attacker");
	w->runner = path_join(bin, "forge-runner");
	w->object = path_join(bin, "attempts.so");
	make_files(w);
	keep_descriptors(w);
	setenv("FORGE_ESCAPE_KEY", w->scene.token, 1);
	setenv("ANTHROPIC_API_KEY", w->scene.token, 1);
	open_ears(w);
	open_ipc(w);
	start_victim(w, self);
	need_ok(digest_tree(w->scene.canary, &w->canary, &e), &e);
	need_ok(digest_run(w, &w->run, &e), &e);
}

static bool has_marked_file(const struct world *w, const char *dir, struct str *what)
{
	DIR *d = opendir(dir);
	bool found = false;
	for (struct dirent *x = d ? readdir(d) : NULL; x; x = readdir(d)) {
		if (!strstr(x->d_name, w->scene.mark))
			continue;
		found = true;
		str_addf(what, "%s/%s is there; ", dir, x->d_name);
		unlinkat(dirfd(d), x->d_name, 0);
	}
	if (d)
		closedir(d);
	return found;
}

static bool has_files(const struct world *w, struct str *what)
{
	const char *const dirs[] = { "/",    "/tmp",       "/var/tmp",     "/dev",     "/dev/shm",
				     "/usr", "/run",       "/home",        "/usr/lib", "/etc",
				     w->dir, w->scene.run, w->scene.canary };
	bool found = false;
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		found |= has_marked_file(w, dirs[i], what);
	return found;
}

static bool is_changed(const struct world *w, struct str *what)
{
	struct err e = { 0 };
	struct digest canary = { 0 };
	struct digest run = { 0 };
	if (digest_tree(w->scene.canary, &canary, &e) < 0 || digest_run(w, &run, &e) < 0) {
		str_addf(what, "%s; ", e.text);
		return true;
	}
	bool changed = !str_equal(canary.hex, w->canary.hex) || !str_equal(run.hex, w->run.hex);
	if (changed)
		str_add(what, "files outside changed; ");
	return changed;
}

/* Signals that the victim got so far. It answers in order, so none is in flight after this. */
static bool has_signal(const struct world *w)
{
	bool found = false;
	char byte = 1;
	if (write(w->victim_in, &byte, 1) != 1)
		return false; /* it is dead, which is told otherwise */
	while (read(w->victim_pipe, &byte, 1) == 1 && byte)
		found = true;
	return found;
}

bool world_is_touched(struct world *w, struct str *what)
{
	bool touched = has_files(w, what);
	touched |= is_changed(w, what);
	if (has_signal(w)) {
		touched = true;
		str_add(what, "the process outside got a signal; ");
	}
	for (int i = 0; i < NR_EARS; i++)
		if (w->ears[i] >= 0 && has_heard(w->ears[i], i != EAR_UDP4 && i != EAR_UDP6)) {
			touched = true;
			str_addf(what, "%s was reached; ", ear_names[i]);
		}
	if (waitpid(w->victim, NULL, WNOHANG) != 0) {
		touched = true;
		str_add(what, "the process outside is dead; ");
	}
	return touched;
}

static bool sees_process(const struct world *w)
{
	DIR *d = opendir("/proc");
	bool found = false;
	for (struct dirent *x = d ? readdir(d) : NULL; x; x = readdir(d)) {
		struct err e = { 0 };
		AUTO_STR struct str name = STR_INIT;
		AUTO_FREE char *path = xasprintf("/proc/%s/comm", x->d_name);
		if (x->d_name[0] >= '0' && x->d_name[0] <= '9' &&
		    file_read(path, 64, &name, &e) == 0)
			found |= str_starts(name.text, w->scene.mark);
	}
	if (d)
		closedir(d);
	return found;
}

/* What was killed may take the kernel a moment to take apart, on a busy machine a long one. */
bool world_has_survivor(const struct world *w)
{
	for (int i = 0; i < SURVIVOR_LOOKS; i++) {
		if (!sees_process(w))
			return false;
		clock_sleep_ns(50 * NS_PER_MS);
	}
	return true;
}

void world_close(struct world *w)
{
	struct err e = { 0 };
	close(w->victim_in);
	close(w->victim_pipe);
	kill(w->victim, SIGKILL);
	waitpid(w->victim, NULL, 0);
	close_ipc(w);
	for (int i = 0; i < NR_EARS; i++)
		if (w->ears[i] >= 0)
			close(w->ears[i]);
	for (size_t i = 0; i < ARRAY_LEN(kept_fds); i++)
		close(kept_fds[i]);
	need_ok(tree_remove(w->dir, &e), &e);
	free(w->workspace);
	free(w->attacker);
	free(w->runner);
	free(w->object);
}
