/*
 * One child cgroup for one sandbox: memory and process caps by whichever cgroup version the machine
 * has and lets us use. Internal to src/sys.
 */
#ifndef FORGE_SYS_CGROUP_H
#define FORGE_SYS_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct strv;

/* From the texts of /proc/self/cgroup and /proc/self/mounts: the folders in which a child group for
 * `controller` ("memory", "pids") may be made, best first. */
void cgroup_parse_places(struct strv *out, const char *controller, const char *self,
			 const char *mounts);
/* A new group with a cap, or NULL with errno; yours. The cap's unit is the controller's. */
char *cgroup_make(const char *controller, size_t cap);
/* A further cap for a group that exists: version 2 has one tree, and a process is in one group of
 * it only. -1: this group's tree has no such controller, so it takes a group of its own. */
int cgroup_cap(const char *group, const char *controller, size_t cap);
/* Move a process in. 0 or -1 with errno. */
int cgroup_join(const char *group, pid_t pid);
/* A descriptor by which a process that writes "0" moves itself in; -1: none, or `group` is NULL. */
int cgroup_open(const char *group);
/* Was something in the group killed for memory, or did it press against its cap? */
bool cgroup_hit_memory(const char *group);
/* Remove it; waits a moment for the last process to leave. Frees and clears the slot. */
void cgroup_remove(char **group);

#endif
