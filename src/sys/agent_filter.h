/*
 * The system calls that an agent may not make, as a program for bwrap --seccomp. An agent compiles
 * and runs code in its box, so this is a deny list: what namespaces do not cover (keyrings, virtual
 * machines' sockets, terminals), what leads to other processes, and the kernel's rarer doors.
 */
#ifndef FORGE_SYS_AGENT_FILTER_H
#define FORGE_SYS_AGENT_FILTER_H

struct err;

/* A descriptor that reads as the filter; yours. Sockets are those of Unix and of the Internet;
 * whether the latter lead anywhere is for the box's network to say. */
int agent_filter_open(struct err *e);
/* A stricter one for a device process (sys/box.h), put on the caller, which must have no new
 * privileges: no sockets, nothing shared by key, nothing done to processes but itself. Safe between
 * fork and exec. 0, or -1 with errno. */
int agent_filter_enter_device(void);

#endif
