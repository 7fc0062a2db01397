/*
 * What Slurm says about a job, read: lines of squeue, sacct and scontrol. Pure.
 */
#ifndef FORGE_HOST_SLURM_STATE_H
#define FORGE_HOST_SLURM_STATE_H

#include "host/trouble.h"

enum slurm_phase { SLURM_UNKNOWN, SLURM_WAITS, SLURM_WORKS, SLURM_ENDED, SLURM_TROUBLED };

struct slurm_state {
	enum slurm_phase phase;
	enum trouble trouble; /* of SLURM_TROUBLED */
	char name[24];        /* "PENDING" */
	char reason[80];      /* "Resources"; "" where it tells none */
};

/* "PENDING|Priority" (squeue, sacct), or "JobId=7 ... JobState=PENDING Reason=Priority ..."
 * (scontrol). The first line counts; what is no state is SLURM_UNKNOWN. */
void slurm_state_read(struct slurm_state *s, const char *text);

#endif
