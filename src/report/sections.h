/*
 * The parts of a report, in the order of the page. Each appends blocks; a part without facts
 * appends nothing.
 */
#ifndef FORGE_REPORT_SECTIONS_H
#define FORGE_REPORT_SECTIONS_H

struct page;
struct view;

/* What a reader must know before believing a number, then the number. */
void section_alerts(const struct view *v, struct page *p);
void section_result(const struct view *v, struct page *p);
void section_shapes(const struct view *v, struct page *p);
void section_rounds(const struct view *v, struct page *p);
void section_decisions(const struct view *v, struct page *p);
void section_lessons(const struct view *v, struct page *p);
void section_gates(const struct view *v, struct page *p);
void section_teacher(const struct view *v, struct page *p);
void section_diagnosis(const struct view *v, struct page *p);
void section_tools(const struct view *v, struct page *p);
void section_profile(const struct view *v, struct page *p);
void section_roofline(const struct view *v, struct page *p);
void section_monitor(const struct view *v, struct page *p);
void section_method(const struct view *v, struct page *p);
void section_reproduce(const struct view *v, struct page *p);

#endif
