/*
 * Are the files that a report points to still those that the log speaks of?
 */
#ifndef FORGE_REPORT_RECEIPT_H
#define FORGE_REPORT_RECEIPT_H

struct page;
struct view;

/* An alert for every file whose digest is not the recorded one. */
void receipt_alerts(const struct view *v, struct page *p);

#endif
