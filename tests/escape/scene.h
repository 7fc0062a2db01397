/*
 * What an attempt to escape is told about the world outside its sandbox: everything. It need not
 * guess names, numbers or addresses, so that only the sandbox stands in its way. Written by the
 * check, read by the attempts from a file or from the memory of a kernel's first argument.
 */
#ifndef FORGE_TEST_ESCAPE_SCENE_H
#define FORGE_TEST_ESCAPE_SCENE_H

#include <stdint.h>

enum { TOKEN_LEN = 32, SCENE_PATH = 200, NOTE_LEN = 160, ALL_ROWS = -1 };

/* Where attempts are made from. */
enum place {
	PLACE_OUTSIDE = 1, /* without a sandbox: shows that the attempt works at all */
	PLACE_KERNEL = 2,  /* an object in forge-runner, behind its filter */
	PLACE_JAIL = 4,    /* a program in the runner's jail, without the filter */
	PLACE_AGENT = 8,   /* an agent's process */
	PLACE_DEVICE = 16, /* a Python candidate in a device process */
};

struct scene {
	int32_t row; /* of attempts.def, or ALL_ROWS */
	int32_t place;
	char token[TOKEN_LEN + 1]; /* content of every secret; whoever has it has escaped */
	char mark[TOKEN_LEN + 1];  /* name of every file that an attempt makes */
	char canary[SCENE_PATH];   /* folder that anybody may write, outside */
	char secret[SCENE_PATH];   /* file in it that anybody may read and write */
	char run[SCENE_PATH];      /* run directory around an agent's workspace */
	char socket_path[SCENE_PATH];
	char socket_name[64]; /* abstract */
	int32_t tcp4, tcp6, udp4, udp6;
	int32_t victim; /* process outside: same user, the token in memory, environment, open file
			 */
	int32_t victim_fd;
	uint64_t victim_address;
	int32_t ipc_key;   /* of a memory segment, a queue and a semaphore */
	char shm_name[64]; /* POSIX, both */
	char queue_name[64];
	char key_name[64];        /* of a key in the session's and the user's keyring */
	uint64_t device;          /* number of the disk that the secret lies on */
	uint64_t memory_bytes;    /* limits of the sandbox; 0: none is promised here */
	int32_t has_memory_group; /* is that limit one of all processes together? */
	uint64_t tmp_bytes;
	uint64_t disk_bytes;
	uint32_t nr_tasks;
	uint32_t nr_cpus; /* cores that it may use; 0: all */
	uint32_t cpus[4];
};

/* What a kernel writes to its second argument. */
struct report {
	int32_t outcome;
	char note[NOTE_LEN];
};

#endif
