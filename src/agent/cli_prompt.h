/*
 * What a CLI agent is told beside the turn's own prompt: how this turn is answered. Internal to
 * cli_turn.c.
 */
#ifndef FORGE_AGENT_CLI_PROMPT_H
#define FORGE_AGENT_CLI_PROMPT_H

struct cli;

/* The whole turn; yours. */
char *cli_prompt_whole(const struct cli *c);
/* For a session that forge left in the middle of the turn; yours. */
char *cli_prompt_resume(const struct cli *c);

#endif
