#include "store/chaindir.h"

/* Names are rows of chaindir.def. Folders are made by whoever first puts something there; the
 * chain's own folder is born under another name and renamed. */

#include "base/file.h"
#include "base/mem.h"

static const char *const names[CHAINDIR_NR] = {
#define CHAINDIR(id, path, text) [CHAINDIR_##id] = path,
#include "store/chaindir.def"
#undef CHAINDIR
};

const char *chaindir_name(enum chaindir_part part)
{
	return names[part];
}

char *chaindir_path(const char *chain_dir, enum chaindir_part part)
{
	return path_join(chain_dir, names[part]);
}

char *chaindir_generation(enum chaindir_part part, unsigned number)
{
	return xasprintf("%s/g%u", names[part], number);
}

bool chaindir_is_chain(const char *path)
{
	AUTO_FREE char *log = chaindir_path(path, CHAINDIR_LOG);
	return file_exists(log);
}
