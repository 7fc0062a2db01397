#include "report/report.h"

/* One page of blocks, two printers, three files. The README in best/ is for whoever takes the
 * kernel away without the run. */

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "report/cost.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/text.h"
#include "report/view.h"
#include "store/rundir.h"

static void fill_page(const struct view *v, struct page *p)
{
	section_alerts(v, p);
	section_result(v, p);
	section_shapes(v, p);
	section_rounds(v, p);
	section_decisions(v, p);
	section_lessons(v, p);
	section_gates(v, p);
	section_profile(v, p);
	section_roofline(v, p);
	section_teacher(v, p);
	section_diagnosis(v, p);
	section_tools(v, p);
	section_cost(v, p);
	section_monitor(v, p);
	section_method(v, p);
	section_reproduce(v, p);
}

typedef void (*print_fn)(const struct page *p, struct str *out);

static int write_page(const struct page *p, const char *run_dir, enum rundir_part part,
		      print_fn print, struct err *e)
{
	AUTO_FREE char *path = rundir_path(run_dir, part);
	AUTO_STR struct str text = STR_INIT;
	print(p, &text);
	return file_write(path, text.text, text.len, e);
}

static int write_best_readme(const struct view *v, struct strv *paths, struct err *e)
{
	AUTO_FREE char *kernel = rundir_path(v->run_dir, RUNDIR_BEST_KERNEL);
	AUTO_FREE char *readme = path_join(v->run_dir, "best/README.md");
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str speedup = STR_INIT;
	if (!v->head || !file_exists(kernel))
		return 0;
	text_speedup(v->head, &speedup);
	str_addf(&text,
		 "# Best kernel of task %s\n\n"
		 "%s over its reference (%s, K=%u). `evidence.json` says what was measured, "
		 "against what, where and how; `chain.json` ties every part of it together. This "
		 "folder is all that is needed to measure it again, wherever it is copied to:\n\n"
		 "    forge verify best/\n",
		 v->state.task_name ? v->state.task_name : "?", speedup.text, text_call(v->head),
		 v->head->replicates);
	strv_add(paths, "best/README.md");
	return file_write_text(readme, text.text, e);
}

static void fill(const struct view *v, struct page *p)
{
	str_addf(&p->title, "forge report: %s", v->state.task_name ? v->state.task_name : v->named);
	fill_page(v, p);
}

int report_print(const char *run_dir, const char *named, struct str *out, struct err *e)
{
	AUTO_VIEW struct view v;
	AUTO_PAGE struct page p;
	page_init(&p, "");
	if (view_load(&v, run_dir, e) < 0)
		return err_wrap(e, "report %s", run_dir);
	v.named = named;
	fill(&v, &p);
	page_print_markdown(&p, out);
	return 0;
}

int report_write(const char *run_dir, struct strv *paths, struct err *e)
{
	AUTO_VIEW struct view v;
	AUTO_PAGE struct page p;
	page_init(&p, "");
	if (view_load(&v, run_dir, e) < 0)
		return err_wrap(e, "report %s", run_dir);
	fill(&v, &p);
	if (write_page(&p, run_dir, RUNDIR_REPORT_MD, page_print_markdown, e) < 0 ||
	    write_page(&p, run_dir, RUNDIR_REPORT_HTML, page_print_html, e) < 0)
		return -1;
	strv_add(paths, rundir_name(RUNDIR_REPORT_MD));
	strv_add(paths, rundir_name(RUNDIR_REPORT_HTML));
	return write_best_readme(&v, paths, e);
}
