/*
 * The lint of lessons: rules of lesson_rules.def, as docs/format/lesson.md tells them. A finding
 * begins with the name of its rule. What no rule sees is for a person (`forge kb review`).
 */
#ifndef FORGE_KNOW_LESSON_LINT_H
#define FORGE_KNOW_LESSON_LINT_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/leak.h"

struct err;
struct findings;
struct kb;
struct kb_entry;
struct task;

/* What lessons are held against. */
struct lesson_lint {
	regex_t operators;
	bool has_operators;
	struct leak references; /* all of them as one source */
	struct findings *findings;
};

/* The words of share/kb/operator-words, and the sources of the tasks' references one behind the
 * other, or NULL. Findings go to `f`. Released in both cases. */
int lesson_lint_init(struct lesson_lint *lint, const char *references, struct findings *f,
		     struct err *e);
void lesson_lint_release(struct lesson_lint *lint);
#define AUTO_LESSON_LINT __attribute__((cleanup(lesson_lint_release)))

/* One lesson with its probe and certificates. */
void lesson_lint(const struct lesson_lint *lint, const struct kb_entry *entry);
/* Every lesson, and what only the whole base shows: ids that come twice, files of no lesson. */
void lesson_lint_base(const struct lesson_lint *lint, const struct kb *kb);

#endif
