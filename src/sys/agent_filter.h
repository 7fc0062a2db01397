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

#endif
