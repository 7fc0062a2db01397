/*
 * TOML out, and small changes to a tree: what is needed to write a document that is another one
 * with a few values replaced. Comments and layout of the original are not kept.
 */
#ifndef FORGE_BASE_TOML_PRINT_H
#define FORGE_BASE_TOML_PRINT_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct str;
struct toml;

/* The document: what parses to the same tree. Tables below the first level are written inline. */
void toml_print(const struct toml *root, struct str *out);

/* New values, in the arena. */
struct toml *toml_new_text(const char *text, struct arena *a);
struct toml *toml_new_real(double value, struct arena *a);
struct toml *toml_new_bool(bool value, struct arena *a);
struct toml *toml_new_table(struct arena *a);
/* Replace the member or append it. `value` NULL takes the member away. */
void toml_set(struct toml *table, const char *key, struct toml *value, struct arena *a);
/* The member table of that name, made when it is missing. */
struct toml *toml_subtable(struct toml *root, const char *key, struct arena *a);

#endif
