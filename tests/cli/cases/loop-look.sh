# The teacher looks at a sealed reference through its tools: runs it, has its times, profile and
# instructions; what it asks costs its budget, what it may not ask is refused, and the student has none of it.
fake_forge
fake_task task 's/^stall.*/stall = 1/' 's/^max_meta.*/max_meta = 1\nteacher_jobs = 6/' 's/^source = true/blackbox = true/'
course > task/replay/v1.toml << 'END'
M1
D1.1 needs=D0.1
END
ask() { printf '{"type":"tool","id":%s,"tool":%s},' "$1" "$2"; }
{
	printf '{"lines":['
	ask 1 '"time"'
	ask 2 '"profile"'
	ask 3 '"disassemble"'
	ask 4 '"disassemble"'
	ask 5 '"disassemble","from":-1'
	ask 8 '"run","shape":"short","inputs":{"x":{"kind":"constant","value":2}}'
	ask 6 '"run"'
	ask 9 '"run","shape":"held"'
	ask 7 '"run","shape":"short","inputs":[1]'
	ask 10 '"run","shape":"short"'
	ask 11 '"disassemble","from":7'
	printf '{"type":"curriculum","toml_file":"v1.toml"},{"type":"done"}]}\n'
	printf '{"lines":['
	ask 1 '"disassemble"'
	printf '{"type":"give_up","reason":"enough"},{"type":"done"}]}\n'
} >> task/replay/teacher.jsonl
student 'FAKE speedup=1.5'
echo '{"lines":[{"type":"tool","id":1,"tool":"disassemble"},{"type":"submit","source":"FAKE speedup=1.2"},{"type":"done"}]}' >> task/replay/student.jsonl
forge new --dir run task > /dev/null
t forge run run | only 'teacher'
sed -E -n 's/^\{"body":(.*),"mono_ns":.*"seq":([0-9]+),"type":"(tool_[a-z]*|job_started)".*/\2 \3 \1/p' run/events.jsonl |
	grep -E 'tool' | sed -E 's/"(ns|geomean_ns|floor)":[0-9.e-]+/"\1":#/g'
cat run/jobs/tool-0003/ask.json run/jobs/tool-0004/ask.json
sed -n '/^## What the teacher/,/^## What it/p' run/report.md
# What the student was sent says nothing of tools or of what they told.
grep -lE '"names|listing|inspection|warm_call' run/agents/*-student-* || echo 'the student has none of it'
grep -ho 'there is no tool [^ ]* in this turn' run/agents/*-student-*
