#include "base/digest.h"
#include "engine/scene.h"

/* What a run knows is what was certified on its machine when its teacher was first asked: neither a
 * base that changes nor a copy that somebody edits changes it. */

static const char lesson[] =
	"+++\nversion = 1\nid = \"first-one\"\ntitle = \"The first comes before the second\"\n"
	"family = \"x86-64\"\nlanguages = [\"c\"]\ntopics = [\"order\"]\n"
	"applies_when = \"there are two\"\nprobe = \"first-one.probe.c\"\n\n[scope]\n"
	"devices = [\"*\"]\n\n[[claim]]\nvalue = \"gain\"\nlow = 1.1\nunit = \"ratio\"\n"
	"means = \"the one over the other\"\n+++\nDo the first first.\n";
static const char probe[] = "int main(void) { return 77; }\n";

static char *base_path(const struct scene *sc, const char *name)
{
	return xasprintf("%s/kb/x86-64/%s", sc->dir, name);
}

static void put(const struct scene *sc, const char *name, const char *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = base_path(sc, name);
	CHECK_OK(file_write_text(path, text, &e));
}

/* As the fake worker's machine would have certified it. */
static void put_base(const struct scene *sc)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = base_path(sc, "");
	AUTO_FREE char *kb = xasprintf("%s/kb", sc->dir);
	AUTO_FREE char *cert = base_path(sc, "first-one.cert.json");
	AUTO_JSON json_t *doc = json_pack(
		"{s:i, s:s, s:[{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:[], s:[]}]}", "version",
		1, "id", "first-one", "certificates", "state", "certified", "date",
		"2026-11-30T10:00:00Z", "host", "local", "device", "fake cpu", "compiler", "gcc 12",
		"driver", "Linux 0", "lesson", digest_text(lesson).hex, "probe",
		digest_text(probe).hex, "claims", "values");
	CHECK_OK(dir_make(dir, &e));
	put(sc, "first-one.md", lesson);
	put(sc, "first-one.probe.c", probe);
	CHECK_OK(json_write_file(cert, doc, &e));
	setenv("FORGE_KB", kb, 1);
}

static void open_citing(struct scene *sc)
{
	scene_open(sc);
	put_base(sc);
	scene_edit(sc, "replay/course.toml", "id = \"D1.1\"\n",
		   "id = \"D1.1\"\nlessons = [\"first-one\"]\n");
	scene_student(sc, (const char *const[]){ "FAKE speedup=1.5", "FAKE speedup=2", NULL });
	scene_new(sc);
}

/* Sessions that die until the curriculum is in force. */
static void run_to_curriculum(struct scene *sc)
{
	for (int i = 0; i < 40; i++) {
		AUTO_RUN_STATE struct run_state s;
		scene_state(sc, &s);
		if (run_state_curriculum(&s))
			return;
		CHECK(!scene_session(sc, 4));
	}
	CHECK(false);
}

TEST(a_base_that_changes_does_not_change_the_run)
{
	struct scene sc;
	struct err e = { 0 };
	open_citing(&sc);
	run_to_curriculum(&sc);
	AUTO_FREE char *dir = base_path(&sc, "");
	CHECK_OK(tree_remove(dir, &e));
	scene_run_ok(&sc);
	AUTO_RUN_STATE struct run_state s;
	scene_state(&sc, &s);
	const struct state_curriculum *c = run_state_curriculum(&s);
	const struct state_decision *cites = &c->milestones[1].decisions[0];
	CHECK_TEXT(cites->id, "D1.1");
	CHECK_INT(cites->lessons.nr, 1);
	CHECK_TEXT(cites->lessons.items[0], "first-one");
	AUTO_FREE char *copy = rundir_path(sc.run, RUNDIR_KNOWLEDGE);
	struct digest now;
	CHECK_OK(digest_file(copy, &now, &e));
	CHECK_TEXT(c->knowledge, now.hex);
	scene_close(&sc);
}

TEST(a_copy_that_was_edited_is_refused)
{
	struct scene sc;
	struct err e = { 0 };
	open_citing(&sc);
	run_to_curriculum(&sc);
	AUTO_FREE char *copy = rundir_path(sc.run, RUNDIR_KNOWLEDGE);
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(copy, 1 << 20, &text, &e));
	char *at = strstr(text.text, "Do the first first");
	CHECK(at != NULL);
	memcpy(at, "DO", 2);
	CHECK_OK(file_write_text(copy, text.text, &e));
	CHECK(scene_run(&sc) < 0);
	printf("# %s\n", sc.e.text);
	CHECK(strstr(sc.e.text, "knowledge.json: changed after a curriculum was written by it"));
	scene_close(&sc);
}

TEST(the_control_arm_knows_nothing)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	put_base(&sc);
	scene_student(&sc, (const char *const[]){ "FAKE speedup=1.5", "give_up", NULL });
	AUTO_STR struct str made = STR_INIT;
	const struct engine_new spec = {
		.task_dir = sc.task, .run_dir = sc.run, .seed = 42, .is_control = true
	};
	CHECK_OK(engine_new_run(&spec, &made, &e));
	scene_run_ok(&sc);
	AUTO_FREE char *copy = rundir_path(sc.run, RUNDIR_KNOWLEDGE);
	CHECK(!file_exists(copy));
	scene_close(&sc);
}

TEST_MAIN()
