#include "build/cache.h"

#include "base/json.h"
#include "fixture.h"

static void digests_of(const struct build *b, struct digest *out)
{
	struct err e = { 0 };
	for (size_t i = 0; i < b->nr_so; i++)
		CHECK_OK(digest_file(b->so_paths[i], &out[i], &e));
}

TEST(a_cached_build_is_the_same_build)
{
	struct fixture f;
	fixture_init(&f, 1);
	f.spec.cache_dir = f.cache_dir;
	f.spec.nr_layouts = 2;
	AUTO_BUILD struct build first;
	AUTO_BUILD struct build second;
	struct digest made[2];
	struct digest found[2];
	fixture_build(&f, "gcc -O2", HEAD SCALE, &first);
	digests_of(&first, made);
	fixture_build(&f, "gcc -O2", HEAD SCALE, &second);
	check_passes(&second);
	CHECK(!first.from_cache && second.from_cache);
	CHECK_TEXT(second.object.hex, first.object.hex);
	CHECK_TEXT(second.source.hex, first.source.hex);
	CHECK_TEXT(second.compiler_version, first.compiler_version);
	CHECK_TEXT(second.log, first.log);
	CHECK(json_equal(second.facts, first.facts));
	CHECK_INT(second.nr_so, 2);
	digests_of(&second, found);
	CHECK_TEXT(found[0].hex, made[0].hex);
	CHECK_TEXT(found[1].hex, made[1].hex);
	CHECK(str_starts(second.so_paths[0], f.cache_dir));
	fixture_release(&f);
}

TEST(more_layouts_of_a_cached_build_are_linked_anew)
{
	struct fixture f;
	fixture_init(&f, 1);
	f.spec.cache_dir = f.cache_dir;
	AUTO_BUILD struct build first;
	AUTO_BUILD struct build more;
	AUTO_BUILD struct build all;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &first);
	f.spec.nr_layouts = 3;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &more);
	CHECK(more.from_cache);
	CHECK_INT(more.nr_so, 3);
	CHECK(str_starts(more.so_paths[0], f.cache_dir));
	CHECK(str_starts(more.so_paths[2], f.out_dir));
	check_called(&f, more.so_paths[2], "6 1f80 1f80\n");
	fixture_build(&f, "gcc -O2", HEAD SCALE, &all);
	CHECK(str_starts(all.so_paths[2], f.cache_dir));
	check_called(&f, all.so_paths[2], "6 1f80 1f80\n");
	fixture_release(&f);
}

TEST(objects_with_and_without_copies_are_kept_apart)
{
	struct fixture f;
	fixture_init(&f, 1);
	f.spec.cache_dir = f.cache_dir;
	AUTO_BUILD struct build single;
	AUTO_BUILD struct build many;
	AUTO_BUILD struct build again;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &single);
	f.spec.nr_copies = 4;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &many);
	CHECK(many.from_cache && str_starts(many.so_paths[0], f.out_dir));
	fixture_build(&f, "gcc -O2", HEAD SCALE, &again);
	CHECK(str_starts(again.so_paths[0], f.cache_dir));
	check_called(&f, again.so_paths[0], "6 1f80 1f80\n");
	fixture_release(&f);
}

TEST(what_a_build_depends_on_is_in_the_key)
{
	struct fixture f;
	fixture_init(&f, 1);
	f.spec.cache_dir = f.cache_dir;
	AUTO_BUILD struct build first;
	AUTO_BUILD struct build flags;
	AUTO_BUILD struct build role;
	AUTO_BUILD struct build type;
	AUTO_BUILD struct build kit;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &first);
	fixture_build(&f, "gcc -O1", HEAD SCALE, &flags);
	CHECK(!flags.from_cache);
	f.spec.role = BUILD_REFERENCE;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &role);
	CHECK(!role.from_cache);
	f.args[2].dtype = DTYPE_I32;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &type);
	CHECK(!type.from_cache);
	AUTO_FREE char *copy = path_join(f.dir, "kit");
	AUTO_FREE char *more = path_join(copy, "forge/more.h");
	struct err e = { 0 };
	CHECK_OK(tree_copy("include", copy, &e));
	CHECK_OK(file_write_text(more, "", &e));
	f.spec.kit_dir = copy;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &kit);
	CHECK(!kit.from_cache);
	fixture_release(&f);
}

/* The one entry of the cache. */
static char *entry_path(const struct fixture *f)
{
	struct err e = { 0 };
	AUTO_STRV struct strv names = { 0 };
	CHECK_OK(dir_list(f->cache_dir, &names, &e));
	CHECK_INT(names.nr, 1);
	return path_join(f->cache_dir, names.items[0]);
}

TEST(a_damaged_cache_entry_is_built_anew)
{
	static const char *const files[] = { "leaf.o", "shim.o", "build.json" };
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct fixture f;
		fixture_init(&f, 1);
		f.spec.cache_dir = f.cache_dir;
		AUTO_BUILD struct build first;
		AUTO_BUILD struct build second;
		AUTO_BUILD struct build third;
		fixture_build(&f, "gcc -O2", HEAD SCALE, &first);
		struct err e = { 0 };
		AUTO_FREE char *entry = entry_path(&f);
		AUTO_FREE char *path = path_join(entry, files[i]);
		CHECK_OK(file_write_text(path, "broken", &e));
		fixture_build(&f, "gcc -O2", HEAD SCALE, &second);
		check_passes(&second);
		CHECK(!second.from_cache);
		fixture_build(&f, "gcc -O2", HEAD SCALE, &third);
		CHECK(third.from_cache);
		fixture_release(&f);
	}
}

TEST(a_damaged_layout_is_linked_anew)
{
	struct fixture f;
	fixture_init(&f, 1);
	f.spec.cache_dir = f.cache_dir;
	AUTO_BUILD struct build first;
	AUTO_BUILD struct build second;
	AUTO_BUILD struct build third;
	fixture_build(&f, "gcc -O2", HEAD SCALE, &first);
	fixture_build(&f, "gcc -O2", HEAD SCALE, &second);
	struct err e = { 0 };
	CHECK_OK(file_write_text(second.so_paths[0], "not an object", &e));
	fixture_build(&f, "gcc -O2", HEAD SCALE, &third);
	CHECK(str_starts(third.so_paths[0], f.out_dir));
	check_called(&f, third.so_paths[0], "6 1f80 1f80\n");
	fixture_release(&f);
}

TEST(builds_may_race_for_one_cache_entry)
{
	struct fixture f;
	fixture_init(&f, 1);
	f.spec.cache_dir = f.cache_dir;
	pid_t pids[3];
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		AUTO_FREE char *source = xasprintf("%s/source%zu.c", f.dir, i);
		AUTO_FREE char *out = xasprintf("%s/out%zu", f.dir, i);
		f.source_path = source;
		f.spec.source_path = source;
		f.spec.out_dir = out;
		AUTO_BUILD struct build b;
		fixture_build(&f, "gcc -O2", HEAD SCALE, &b);
		_exit(b.verdict.state == VERDICT_NONE && file_exists(b.so_paths[0]) ? 0 : 1);
	}
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		int status = 0;
		CHECK(waitpid(pids[i], &status, 0) == pids[i]);
		CHECK_INT(status, 0);
	}
	AUTO_FREE char *entry = entry_path(&f);
	CHECK(file_is_dir(entry));
	fixture_release(&f);
}

TEST_MAIN()
