/*
 * Drawing in SVG text. Coordinates are pixels, y grows downwards. Looks come from classes of
 * report/html_style.c; text is escaped. Every drawing has a title and a description for those who
 * do not see it.
 */
#ifndef FORGE_REPORT_SVG_H
#define FORGE_REPORT_SVG_H

#include "base/str.h"

struct point {
	double x;
	double y;
};

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

void svg_open(struct str *out, double width, double height, const char *title,
	      const char *description);
void svg_close(struct str *out);
void svg_line(struct str *out, struct point from, struct point to, const char *class);
void svg_rect(struct str *out, struct point at, struct point size, const char *class);
void svg_circle(struct str *out, struct point at, double radius, const char *class);
/* A square on its corner. */
void svg_diamond(struct str *out, struct point at, double radius, const char *class);
void svg_cross(struct str *out, struct point at, double radius, const char *class);
void svg_text(struct str *out, struct point at, enum svg_anchor anchor, const char *class,
	      const char *text);
/* A curve that leaves and arrives horizontally, with an arrow head. */
void svg_arrow(struct str *out, struct point from, struct point to, const char *class);
/* A group whose title browsers show when pointed at. */
void svg_group_open(struct str *out, const char *title);
void svg_group_close(struct str *out);
/* `text` cut to about `width` pixels of 12-pixel letters, with an ellipsis. */
void svg_fit(const char *text, double width, struct str *out);

#endif
