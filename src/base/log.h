/*
 * Log lines for a person who watches, on stderr. They may be lost: what resume, report or an
 * auditor needs is an event (store/eventlog.h). Levels: error, warn, info (default), debug (-v).
 */
#ifndef FORGE_BASE_LOG_H
#define FORGE_BASE_LOG_H

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

void log_set_level(enum log_level level);
/* Name printed before each line ("forge", "forge-worker"). Borrowed for ever. */
void log_set_program(const char *name);
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
