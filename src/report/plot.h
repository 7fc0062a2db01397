/*
 * The figures of a report, each one SVG. A plot without data draws nothing and returns false.
 */
#ifndef FORGE_REPORT_PLOT_H
#define FORGE_REPORT_PLOT_H

#include <stdbool.h>

struct str;
struct view;
struct state_round;

/* Speed-up of every round with its interval, best so far, goal. */
bool plot_rounds(const struct view *v, struct str *out);
/* Arithmetic intensity against throughput: reference and best of each shape under the ceilings. */
bool plot_roofline(const struct view *v, struct str *out);
/* Decisions of the newest curriculum as a graph: a column a milestone, coloured by fate. */
bool plot_graph(const struct view *v, struct str *out);

#endif
