/* The version of all programs of this tree; CHANGELOG.md says what each brought. */
#ifndef FORGE_BASE_VERSION_H
#define FORGE_BASE_VERSION_H

#define FORGE_VERSION "0.1.0"

#endif
