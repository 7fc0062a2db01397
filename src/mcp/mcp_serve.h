/* The server's loop: lines between two descriptors and struct mcp, until the input ends. */
#ifndef FORGE_MCP_MCP_SERVE_H
#define FORGE_MCP_MCP_SERVE_H

struct err;
struct mcp;

/* 0 when the input ended or nobody reads any more. */
int mcp_serve(struct mcp *m, int in_fd, int out_fd, struct err *e);

#endif
