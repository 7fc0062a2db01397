/* Network, and what else connects processes. What is sent is the row's name, so that the check, who
 * listens, can tell whose it is. */
#include "attempts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static bool reach(const struct sockaddr *to, socklen_t len, int type)
{
	int fd = socket(to->sa_family, type, 0);
	if (fd < 0)
		return false;
	bool is_there = connect(fd, to, len) == 0 && write(fd, "here", 4) == 4;
	int error = errno;
	close(fd);
	errno = error;
	return is_there;
}

static bool reach4(int port, int type)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return port && reach((struct sockaddr *)&to, sizeof(to), type);
}

static bool reach6(int port, int type)
{
	struct sockaddr_in6 to = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };
	to.sin6_addr.s6_addr[15] = 1;
	return port && reach((struct sockaddr *)&to, sizeof(to), type);
}

enum outcome tcp4(const struct scene *s, struct report *r)
{
	return judge(r, reach4(s->tcp4, SOCK_STREAM), "connect");
}

enum outcome tcp6(const struct scene *s, struct report *r)
{
	return judge(r, reach6(s->tcp6, SOCK_STREAM), "connect");
}

/* A datagram that nobody gets is no error: without a sandbox this counts as the control's success,
 * within one only what arrives does. */
static enum outcome sent(const struct scene *s, struct report *r, bool is_sent)
{
	if (s->place == PLACE_OUTSIDE)
		return judge(r, is_sent, "send");
	return note(r, HELD, "send: %s", is_sent ? "gone nowhere" : strerror(errno));
}

enum outcome udp4(const struct scene *s, struct report *r)
{
	return sent(s, r, reach4(s->udp4, SOCK_DGRAM));
}

enum outcome udp6(const struct scene *s, struct report *r)
{
	return sent(s, r, reach6(s->udp6, SOCK_DGRAM));
}

enum outcome raw_socket(const struct scene *s, struct report *r)
{
	(void)s;
	if (socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) >= 0)
		return note(r, ESCAPED, "a raw socket is made");
	if (socket(AF_INET6, SOCK_RAW, 58) >= 0)
		return note(r, ESCAPED, "a raw socket is made");
	return judge(r, socket(AF_PACKET, SOCK_RAW, htons(3)) >= 0, "socket");
}

enum outcome unix_path(const struct scene *s, struct report *r)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	snprintf(to.sun_path, sizeof(to.sun_path), "%.100s", s->socket_path);
	return judge(r, reach((struct sockaddr *)&to, sizeof(to), SOCK_STREAM), "connect");
}

enum outcome unix_abstract(const struct scene *s, struct report *r)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = strlen(s->socket_name);
	memcpy(to.sun_path + 1, s->socket_name, len);
	socklen_t whole = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len);
	return judge(r, reach((struct sockaddr *)&to, whole, SOCK_STREAM), "connect");
}

enum outcome netlink(const struct scene *s, struct report *r)
{
	(void)s;
	for (int family = 0; family < 22; family++)
		if (socket(AF_NETLINK, SOCK_RAW, family) >= 0)
			return note(r, ESCAPED, "family %d", family);
	return judge(r, false, "socket");
}

enum outcome vsock(const struct scene *s, struct report *r)
{
	(void)s;
	return judge(r, socket(AF_VSOCK, SOCK_STREAM, 0) >= 0, "socket");
}

enum outcome sysv_memory(const struct scene *s, struct report *r)
{
	int id = shmget(s->ipc_key, 0, 0);
	void *at = id < 0 ? (void *)-1 : shmat(id, NULL, SHM_RDONLY);
	if (at == (void *)-1)
		return judge(r, false, "shmget");
	return judge(r, has_token(s, at, TOKEN_LEN), "shmat");
}

enum outcome sysv_queue(const struct scene *s, struct report *r)
{
	if (msgget(s->ipc_key, 0) >= 0)
		return note(r, ESCAPED, "the queue opens");
	return judge(r, semget(s->ipc_key, 0, 0) >= 0, "semget");
}

enum outcome posix_memory(const struct scene *s, struct report *r)
{
	char path[SCENE_PATH];
	snprintf(path, sizeof(path), "/dev/shm%s", s->shm_name);
	return judge(r, path_has_token(s, path), "open");
}

enum outcome posix_queue(const struct scene *s, struct report *r)
{
	return judge(r, syscall(SYS_mq_open, s->queue_name + 1, O_RDONLY, 0, NULL) >= 0, "mq_open");
}

enum outcome keys(const struct scene *s, struct report *r)
{
	static const int rings[] = { KEY_SPEC_SESSION_KEYRING, KEY_SPEC_USER_KEYRING,
				     KEY_SPEC_USER_SESSION_KEYRING, KEY_SPEC_PROCESS_KEYRING };
	char text[256] = "";
	for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]) + 1; i++) {
		long key = i < sizeof(rings) / sizeof(rings[0])
				   ? syscall(SYS_keyctl, KEYCTL_SEARCH, rings[i], "user",
					     s->key_name, 0)
				   : syscall(SYS_request_key, "user", s->key_name, NULL, 0);
		if (key > 0 && syscall(SYS_keyctl, KEYCTL_READ, key, text, sizeof(text)) > 0 &&
		    has_token(s, text, sizeof(text)))
			return note(r, ESCAPED, "found in keyring %zu", i);
	}
	return judge(r, false, "keyctl");
}
