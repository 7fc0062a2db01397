/*
 * Last words. Signal handlers that write what happened into the reply page and leave, and the
 * runner's own way of giving up. Advisory: a kernel can write there too, but what it can gain is
 * another name for its own failure.
 */
#ifndef FORGE_RUNNER_FAULTS_H
#define FORGE_RUNNER_FAULTS_H

#include <stdint.h>

struct doorbell_reply;

/* Catch faults and filtered calls for the whole process. */
void faults_catch(struct doorbell_reply *reply);
/* Give the calling thread a stack for the handlers: each thread needs its own. */
void faults_take_stack(void);
/* Say why and leave; `end` is an enum doorbell_end. */
_Noreturn void faults_give_up(struct doorbell_reply *reply, uint32_t end, const char *text);

#endif
