"""A small task and a scripted model that solves it in a whole run: a judge that is off and then right, a
curriculum, three milestones, a wrong candidate, one that is slower, a stall, a revision, the goal. What a kernel
does is known beforehand: the reference does its work over and over, kernels do so less often. The markers in
their heads are for the fake worker (tests/fake/fake-worker), which measures nothing.

`make_task` writes the task and the answers; `rules` are those of tests/fake/llm-server, each with a label
that names the turn it belongs to, and its usage."""
import json
import os
import re
import shutil

HERE = os.path.dirname(os.path.abspath(__file__))
TOPICS = ["tile_shapes", "thread_roles", "register_budget", "residency", "order", "overlap"]

BODY = {
    "powers": (
        "void powers(const float *x, const float *c, float *y, int64_t n, int64_t m)",
        "\tfor (int64_t i = 0; i < n; i++) {\n\t\tfloat sum = 0, power = 1;\n"
        "\t\tfor (int64_t j = 0; j < m; j++) {\n\t\t\tsum += c[j] * power;\n\t\t\tpower *= x[i];\n\t\t}\n"
        "\t\ty[i] = sum;\n\t}\n",
        ("y[i] = sum;", "y[i] = sum + 0.25f;"),
        "void powers(const double *x, const double *c, double *y, int64_t n, int64_t m)",
        "\tfor (int64_t i = 0; i < n; i++) {\n\t\tdouble value = 0;\n"
        "\t\tfor (int64_t j = m - 1; j >= 0; j--)\n\t\t\tvalue = value * x[i] + c[j];\n\t\ty[i] = value;\n\t}\n",
        ("y[i] = value;", "y[i] = value + 1;"),
    ),
    "hypot_ratio": (
        "void hypot_ratio(const float *x, const float *y, float *z, int64_t n)",
        "\tfor (int64_t i = 0; i < n; i++)\n"
        "\t\tz[i] = sqrtf(x[i] * x[i] + y[i] * y[i]) / (1.0f + fabsf(x[i]));\n",
        ("i < n;", "i < n / 8 * 8;"),
        "void hypot_ratio(const double *x, const double *y, double *z, int64_t n)",
        "\tfor (int64_t i = n - 1; i >= 0; i--)\n\t\tz[i] = hypot(x[i], y[i]) / (fabs(x[i]) + 1.0);\n",
        ("+ 1.0)", "+ 2.0)"),
    ),
}
FROM = {"powers": "crash", "hypot_ratio": "cli"}


def c_file(head, signature, body, again=1, flags=""):
    text = "/* %s */\n%s#include <math.h>\n#include <stdint.h>\n\n%s\n{\n" % (head, flags, signature)
    if again == 1:
        return text + body + "}\n"
    inner = "".join("\t" + line + "\n" for line in body.splitlines())
    return text + "\tfor (volatile int again = 0; again < %d; again++) {\n%s\t}\n}\n" % (again, inner)


def row(name, what, why, milestone, **more):
    out = ["[[milestone.decision]]", 'id = "%s"' % name]
    if milestone == 0:
        out.append('covers = "work_split"')
    out += ['what = "%s"' % what, 'value = "%s"' % more.get("value", "as told"), 'why = "%s"' % why,
            'wrong_when = "the time does not fall"', 'mechanism_none = "it shows in the time only"']
    if milestone:
        out.append('needs = ["D0.1"]')
    return "\n".join(out) + "\n"


def course(version, rows):
    out = ["version = %d\nstructure_epoch = 1\n" % version]
    titles = ["Structure", "Less", "Least"]
    for m, decisions in enumerate(rows):
        gate = "correctness" if m == 0 else "correctness+performance+mechanism"
        out.append('[[milestone]]\nid = "M%d"\ntitle = "%s"\ngate = "%s"\n' % (m, titles[m], gate))
        for n, (what, why) in enumerate(decisions, 1):
            out.append(row("D%d.%d" % (m, n), what, why, m))
        for n, topic in enumerate(TOPICS if m == 0 else [], 2):
            out.append('[[milestone.decision]]\nid = "D0.%d"\ncovers = "%s"\nwhat = "nothing to settle"\n'
                       'why = "one core"\nnot_applicable = true\n' % (n, topic))
    return "\n".join(out)


# What the teacher writes as reasons is what the script knows a row by.
FIRST = [[("how often the work is done", "token-a half will do")],
         [("the end of the walk", "token-b the last may be left out"), ("care", "token-c more may be better"),
          ("nothing yet", "token-d one day")],
         [("the last repetition", "token-e later")]]
SECOND = [FIRST[0], [("how often what is left is done", "token-f half of half")], [("once", "token-g no repetition")]]
FOUND = "finding-one: half the repetitions take half the time"
STUDENT = [("token-a", "half.c"), ("token-b", "wrong.c"), ("token-c", "slower.c"), ("token-f", "quarter.c"), ("token-g", "once.c")]


def answers(name, folder):
    signature, body, wrong, judge_signature, judge_body, off = BODY[name]
    files = {
        "half.c": c_file("FAKE speedup=2.0", signature, body, 8),
        "wrong.c": c_file("FAKE reason=wrong_value", signature, body.replace(*wrong)),
        "slower.c": c_file("FAKE speedup=0.5", signature, body, 32),
        "quarter.c": c_file("FAKE speedup=4.0", signature, body, 4),
        "once.c": c_file("FAKE speedup=16.0", signature, body, 1),
        "judge-off.c": c_file("first try; FAKE misaligned=1", judge_signature, judge_body.replace(*off)),
        "judge-bad.c": c_file("first try; FAKE unbuilt=1", judge_signature, judge_body) + "int nothing = undeclared_name;\n",
        "judge.c": c_file("second try", judge_signature, judge_body),
        "start.c": c_file("the start", signature, body, 16),
        "found.txt": "- " + FOUND + "\n",
        "v1.toml": course(1, FIRST),
        "v2.toml": course(2, SECOND),
    }
    for file, text in files.items():
        with open(os.path.join(folder, file), "w", encoding="utf-8") as f:
            f.write(text)


def make_task(name, folder, teacher, student, settings, blackbox=False, generated=False):
    """The task in folder/task, the script's answers in folder/answers. `generated`: without a reference."""
    task = os.path.join(folder, "task")
    shutil.copytree(os.path.join(HERE, "..", FROM[name], "task"), task)
    shutil.rmtree(os.path.join(task, "judge"))
    shutil.rmtree(os.path.join(task, "replay"))
    signature, body = BODY[name][:2]
    reference = os.path.join(task, "reference", os.listdir(os.path.join(task, "reference"))[0])
    with open(reference, "w", encoding="utf-8") as f:
        f.write(c_file("the reference", signature, body, 16))
    path = os.path.join(task, "task.toml")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    text = re.sub(r"ratio = .*", "ratio = 8.0", text)
    text = re.sub(r"(?m)^build = .*\n", "", text)
    text = re.sub(r"(?s)\[budget\].*", "", text)
    if generated:
        text = re.sub(r"(?s)\[reference\].*?\n(?=\[)", "", text)
        shutil.rmtree(os.path.join(task, "reference"))
    if blackbox:
        text = text.replace("source = true", "blackbox = true")
    text += "[budget]\nhours = 0.5\nmax_meta = 1\nstall = 2\n\n[agents]\nteacher = \"%s\"\nstudent = \"%s\"\n" % (teacher, student)
    text += "\n" + settings
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.makedirs(os.path.join(folder, "answers"), exist_ok=True)
    answers(name, os.path.join(folder, "answers"))


class Script:
    """The rules, the turn that each belongs to, and what its reply is said to have used."""

    def __init__(self):
        self.rules, self.labels, self.usage = [], [], []

    def add(self, label, match, call, arguments):
        n = len(self.rules)
        usage = {"input": 900 + 7 * n, "cache_read": 300 * (n % 4), "output": 50 + 3 * n}
        if n % 3 == 0:
            usage["reasoning"] = 20
        reply = {"text": "step %d" % n, "calls": [{"name": call, "arguments": arguments}], "usage": usage, "model": "script-1"}
        if n % 3 == 0:
            reply["reasoning"] = "thinking of step %d" % n
        self.rules.append({"match": match, "times": 0, "reply": reply})
        self.labels.append(label)
        self.usage.append(usage)


def script(generated=False):
    """`generated`: of a task without a reference, whose first judge does not build."""
    s = Script()
    judge = {"tool": "submit_judge", "results": 0}
    s.add("judge-1", dict(judge, lacks="first try"), "submit_judge", {"source": "@judge-bad.c" if generated else "@judge-off.c"})
    s.add("judge-2", dict(judge, has="first try"), "submit_judge", {"source": "@judge.c"})
    if generated:
        s.add("generate", {"tool": "submit", "lacks": "token-", "results": 0}, "submit", {"source": "@start.c"})
    look = {"tool": "report_findings"}
    s.add("reconnaissance", dict(look, results=0), "profile", {})
    s.add("reconnaissance", dict(look, results=1), "probe", {"source": "@half.c"})
    s.add("reconnaissance", dict(look, results=2), "report_findings", {"findings": "- " + FOUND + "\n- nothing else was looked at\n"})
    first = {"tool": "publish_curriculum", "lacks": "token-", "has": FOUND}
    s.add("curriculum", dict(first, results=0), "reference_facts", {})
    s.add("curriculum", {"tool": "reference_facts", "results": 1, "lacks": "token-"}, "publish_curriculum", {"tom": "version = 1"})
    s.add("curriculum", {"tool": "reference_facts", "results": 2, "lacks": "token-f"}, "publish_curriculum", {"toml": "@v1.toml"})
    again = {"tool": "digest", "has": ["token-", FOUND]}
    s.add("revision", dict(again, results=0), "digest", {})
    s.add("revision", dict(again, results=1), "publish_curriculum", {"toml": "@v2.toml"})
    for token, file in STUDENT:
        match = {"tool": "handback", "has": token}
        s.add(token, dict(match, results=0), "decision", {})
        s.add(token, dict(match, results=1), "write", {"path": "kernel.c", "content": "@" + file})
        s.add(token, dict(match, results=2), "build", {"path": "kernel.c"})
        s.add(token, dict(match, results=3), "submit", {"path": "kernel.c", "note": "as the row says"})
    return s


def cli_script(folder, driver, before=""):
    """What a fake of a CLI agent plays in the place of the model: the same answers, without detours. `before`:
    directives in front of every turn."""
    def text_of(file):
        with open(os.path.join(folder, "answers", file), encoding="utf-8") as f:
            return f.read()

    def answer(tool, command, member, file):
        if driver != "cmd":
            return "call %s %s\n" % (tool, json.dumps({member: text_of(file)}))
        return "file %s %s\nrun forge %s %s\n" % (file, text_of(file).replace("\n", "\\n"), command, file)

    out = []
    for kind, file in (("curriculum", "v1.toml"), ("revision", "v2.toml")):
        out.append("[teacher %s]\n%s%send\n" % (kind, before, answer("publish_curriculum", "publish", "toml", file)))
    out.append("[teacher reconnaissance]\n%s%send\n" % (before, answer("report_findings", "publish", "findings", "found.txt")))
    out.append("[teacher judge]\n%s%send\n" % (before, answer("submit_judge", "publish", "source", "judge.c")))
    for n, (_, file) in enumerate(STUDENT, 1):
        out.append("[student round %d]\n%s%send\n" % (n, before, answer("submit", "submit", "source", file)))
    return "".join(out)


def save_rules(s, folder, key):
    path = os.path.join(folder, "answers", "rules.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"rules": s.rules, "key": key}, f)
    return path
