/* The style sheet of report.html. Figures use its classes, see report/svg.h. */
#ifndef FORGE_REPORT_HTML_STYLE_H
#define FORGE_REPORT_HTML_STYLE_H

const char *html_style(void);

#endif
