/*
 * Walls for a process that holds a device. It needs the driver, perhaps Python and a compiler, so
 * it can not live in the empty root of sys/sandbox.h: it keeps the machine's files, may read and
 * execute what is listed and write one folder of its own. Landlock, a filter of system calls, no
 * privileges and, where the kernel gives one, a network of its own; entered between fork and exec
 * (struct proc_spec, `box`), inherited by whatever it starts.
 */
#ifndef FORGE_SYS_BOX_H
#define FORGE_SYS_BOX_H

#include <stdbool.h>

#include "base/str.h"

struct sandbox_lacks;

struct box {
	struct strv read;    /* files and folders; those that are not there are passed over */
	struct strv devices; /* the same, of devices */
	char *scratch;       /* the folder that it may write */
	bool is_weak;        /* a kernel without Landlock is accepted */
	bool is_open;        /* files are those of its user; all else holds */
};

/* What every program of the system needs; none of it is a user's. */
void box_add_system(struct box *b);
/* Files of /dev that the NVIDIA driver works by. */
void box_add_nvidia(struct box *b);
void box_release(struct box *b);
/* Which walls this kernel does not have. */
void box_lacks(struct sandbox_lacks *out);

/* For the child that was just forked; for good. 0, or -1 with errno. */
int box_enter(const struct box *b);

#endif
