#include "report/svg.h"

/* Numbers are printed with one decimal: a tenth of a pixel nobody sees, and the same run gives the
 * same bytes. */

#include "base/table.h"
#include "report/page.h"

/* Average advance of the fonts in question at 12 px, on the wide side. */
static const double letter_px = 6.7;

void svg_open(struct str *out, double width, double height, const char *title,
	      const char *description)
{
	str_addf(out,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		 "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>",
		 width, height, width, height);
	html_escape(title, out);
	str_add(out, "</title>\n<desc>");
	html_escape(description, out);
	str_add(out, "</desc>\n");
}

void svg_close(struct str *out)
{
	str_add(out, "</svg>\n");
}

void svg_line(struct str *out, struct point from, struct point to, const char *class)
{
	str_addf(out, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class, from.x, from.y,
		 to.x, to.y);
}

void svg_rect(struct str *out, struct point at, struct point size, const char *class)
{
	str_addf(out,
		 "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		 "rx=\"4\"/>\n",
		 class, at.x, at.y, size.x, size.y);
}

void svg_circle(struct str *out, struct point at, double radius, const char *class)
{
	str_addf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", class, at.x,
		 at.y, radius);
}

void svg_diamond(struct str *out, struct point at, double radius, const char *class)
{
	str_addf(out, "<path class=\"%s\" d=\"M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz\"/>\n",
		 class, at.x - radius, at.y, radius, -radius, radius, radius, -radius, radius);
}

void svg_cross(struct str *out, struct point at, double radius, const char *class)
{
	str_addf(out, "<path class=\"%s\" d=\"M%.1f %.1fl%.1f %.1fm0 %.1fl%.1f %.1f\"/>\n", class,
		 at.x - radius, at.y - radius, 2 * radius, 2 * radius, -2 * radius, -2 * radius,
		 2 * radius);
}

void svg_text(struct str *out, struct point at, enum svg_anchor anchor, const char *class,
	      const char *text)
{
	static const char *const anchors[] = { "start", "middle", "end" };
	str_addf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", class, at.x,
		 at.y, anchors[anchor]);
	html_escape(text, out);
	str_add(out, "</text>\n");
}

void svg_arrow(struct str *out, struct point from, struct point to, const char *class)
{
	double bend = (to.x - from.x) / 2;
	str_addf(out, "<path class=\"%s\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", class,
		 from.x, from.y, from.x + bend, from.y, to.x - bend, to.y, to.x, to.y);
	str_addf(out, "m-6 -4l6 4l-6 4\"/>\n");
}

void svg_group_open(struct str *out, const char *title)
{
	str_add(out, "<g><title>");
	html_escape(title, out);
	str_add(out, "</title>\n");
}

void svg_group_close(struct str *out)
{
	str_add(out, "</g>\n");
}

void svg_fit(const char *text, double width, struct str *out)
{
	size_t room = (size_t)(width / letter_px);
	size_t seen = 0;
	bool is_long = text_width(text) > room;
	for (; *text; text++) {
		bool is_start = ((unsigned char)*text & 0xc0) != 0x80;
		if (is_long && is_start && ++seen >= room)
			break;
		str_add_char(out, *text);
	}
	str_add(out, is_long ? "…" : "");
}
