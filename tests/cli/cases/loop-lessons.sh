# The loop with a knowledge base: what is certified on the run's machine is frozen into the run, rows cite it, an unknown
# id is refused, the student is given what its row cites, a proposal waits for a person, and the report says what the best rests on.
fake_forge
mkdir -p kb/x86-64
lesson() { # ID LANGUAGE TITLE
	cat << END
+++
version = 1
id = "$1"
title = "$3"
family = "x86-64"
languages = ["$2"]
topics = ["latency"]
applies_when = "a loop waits for itself"
probe = "$1.probe.c"

[scope]
devices = ["*"]

[[claim]]
value = "gain"
low = 1.1
unit = "ratio"
means = "time of the one over that of the other"
+++
Do the second first. The secret of $1 is out.
END
}
certify() { # ID COMPILER: as the fake worker's machine would have it
	base=kb/x86-64/$1
	echo 'int main(void) { return 77; }' > "$base.probe.c"
	printf '{"version":1,"id":"%s","certificates":[{"state":"certified","date":"2026-11-30T10:00:00Z","host":"local","device":"fake cpu","compiler":"%s","driver":"Linux 0","lesson":"%s","probe":"%s","claims":[{"value":"gain","unit":"ratio","low":1.1,"high":null,"measured":2,"holds":true}],"values":[],"why":null}]}\n' \
		"$1" "$2" "$(sha256sum < "$base.md" | cut -c1-64)" "$(sha256sum < "$base.probe.c" | cut -c1-64)" > "$base.cert.json"
}
lesson first-one c 'The first is certified' > kb/x86-64/first-one.md && certify first-one 'gcc 12'
lesson second-one c 'The second is stale' > kb/x86-64/second-one.md && certify second-one 'gcc 11'
lesson third-one cuda 'The third is of another language' > kb/x86-64/third-one.md && certify third-one 'gcc 12'
lesson fourth-one c 'The fourth is certified too' > kb/x86-64/fourth-one.md && certify fourth-one 'gcc 12'
export FORGE_KB=$PWD/kb
t forge kb list
fake_task task 's/^stall.*/stall = 3/' 's/^max_meta.*/max_meta = 0/'
course > task/replay/wrong.toml << 'END'
M1
D1.1 needs=D0.1 lessons=second-one
END
course > task/replay/v1.toml << 'END'
M1
D1.1 needs=D0.1 lessons=first-one
D1.2 needs=D1.1
END
lesson proposed-one c 'A lesson of the teacher' > proposed.md
quoted() { python3 -c 'import json, sys; print(json.dumps(sys.stdin.read()))'; }
{
	printf '{"lines":['
	printf '{"type":"tool","id":1,"tool":"knowledge_search","query":"certified"},'
	printf '{"type":"tool","id":2,"tool":"knowledge_read","entry":"second-one"},'
	printf '{"type":"tool","id":3,"tool":"propose_lesson","lesson":%s,"probe":"int main(void) { return 77; }\\n"},' "$(quoted < proposed.md)"
	printf '{"type":"tool","id":4,"tool":"propose_lesson","lesson":%s,"probe":"int main(void) { return 77; }\\n"},' \
		"$(sed 's/proposed-one/softmax-one/g' proposed.md | quoted)"
	printf '{"type":"tool","id":5,"tool":"propose_lesson","lesson":"no table","probe":"x"},'
	printf '{"type":"curriculum","toml_file":"wrong.toml"},{"type":"done"}]}\n'
} >> task/replay/teacher.jsonl
teacher v1.toml
{
	echo '{"type":"submit","source":"FAKE speedup=1.2"}'
	printf '{"lines":[{"type":"tool","id":1,"tool":"knowledge_search","query":"certified"},'
	printf '{"type":"tool","id":2,"tool":"knowledge_read","entry":"first-one"},'
	printf '{"type":"tool","id":3,"tool":"knowledge_read","entry":"fourth-one"},'
	printf '{"type":"submit","source":"FAKE speedup=1.5"},{"type":"done"}]}\n'
	echo '{"type":"submit","source":"FAKE speedup=1.6"}'
} >> task/replay/student.jsonl
forge new --dir run task > /dev/null
forge run run > out 2>&1
echo "exit $?"
echo "# what the run was given"
grep -o '"id": "[a-z-]*"' run/knowledge.json
echo "# the draft that cites what it was not given"
grep -ho '"findings":\[[^]]*\]' run/events.jsonl
grep -o '"lessons":\[{"digest":"[0-9a-f]*","id":"[a-z-]*"}\]' run/events.jsonl | sed -E 's/[0-9a-f]{64}/DIGEST/'
echo "# what the teacher's tools told"
sed -E -n 's/^\{"body":(.*),"mono_ns":.*"type":"tool_answered".*/\1/p' run/events.jsonl
grep -h 'tool_result' run/agents/*-teacher-* | grep 'entries' | grep -oE '"id.?":.?"[a-z]+-one' | tr -d '\\"'
echo "# rows that cite nothing are given nothing, the other its lesson and no more"
for n in 1 2 3; do
	printf '%s: ' "$n"
	# shellcheck disable=SC2086
	grep -h '"type\\*":\\*"turn' run/agents/*-student-round-000$n.jsonl | grep -o 'The secret of [a-z]*-one' | sort -u | tr '\n' ' '
	echo
done
grep -ho 'The secret of [a-z]*-one is out\|there is no entry of this id' run/agents/*-student-round-0002.jsonl | sort | uniq -c | sed 's/^ *[0-9]* //'
sed -n '/^## Lessons/,/^## Gates/p' run/report.md
echo "# the queue"
t forge kb review run
t forge kb review run accept proposed-one
t forge kb review run reject proposed-one --why 'it says nothing new'
t forge kb review run
t forge kb review run delete proposed-one
ls kb/x86-64 | grep proposed || echo 'nothing entered'
echo "# a base that changes meanwhile is not the run's; a run's copy that changes is refused"
rm -r kb/x86-64/first-one.*
sed -i 's/is out/is in/' run/knowledge.json
rm -rf again && forge new --dir again task > /dev/null && forge run again > out 2>&1
echo "exit $?"
grep -o '"id": "[a-z-]*"' again/knowledge.json
