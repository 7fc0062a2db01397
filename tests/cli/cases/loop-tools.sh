# The teacher has things measured before it answers: ablations of both kinds, probes, refusals, the end
# of its budget. A run that is killed in the middle of the turn measures nothing twice.
fake_forge
fake_task task 's/^stall.*/stall = 1/' 's/^max_meta.*/max_meta = 2\nteacher_jobs = 5/'
course > task/replay/v1.toml << 'END'
M1
D1.1 needs=D0.1
D1.2 needs=D0.1
END
teacher v1.toml
ask() { printf '{"type":"tool","id":%s,"tool":%s},' "$1" "$2"; }
{
	printf '{"lines":['
	ask 1 '"ablate","decision":"D1.1","how":"revert"'
	ask 2 '"ablate","decision":"D1.1","how":"drop"'
	ask 3 '"ablate","decision":"D0.1","how":"revert"'
	ask 12 '"ablate","decision":"D0.1","how":"drop"'
	ask 4 '"ablate","decision":"D1.2","how":"drop"'
	ask 5 '"ablate","decision":"D1.9","how":"drop"'
	ask 6 '"ablate","decision":"D1.1","how":"revert"'
	ask 7 '"probe","source":"FAKE speedup=2.5 FAKE metric=512"'
	ask 8 '"probe"'
	ask 13 '"probe","source":"FAKE speedup=3","replicates":3'
	ask 10 '"probe","source":"FAKE reason=wrong_value"'
	ask 9 '"guess"'
	ask 11 '"probe","source":"FAKE speedup=9"'
	printf '{"type":"give_up","reason":"it pays"},{"type":"done"}]}\n'
} >> task/replay/teacher.jsonl
student 'FAKE speedup=1.5' 'FAKE speedup=2 FAKE metric=256' 'FAKE speedup=1.2' 'FAKE speedup=1.6 without' handback
forge new --dir run task > /dev/null
t forge run run
loop_log run
# What the teacher was answered, and what the student was asked; the transcripts hold both.
grep -h tool_result run/agents/*-teacher-*.jsonl | tr -d '\\' | sed -E 's/"frame":"[^"]*",//; s/"(ratio|low|high|t)":[0-9.e-]+/"\1":#/g'
cat run/agents/*-student-ablation-0002.jsonl | tr -d '\\' | grep -o '"base":"[^"]*"\|"kind":"[a-z]*"\|"rows":.*,"start":[^,}]*'
ls -d run/jobs/tool-*
sed -n '/^## Why/,/^## Where/p' run/report.md
# Again, killed right after the first answer was recorded.
forge new --dir again task > /dev/null
forge run again > out 2>&1 &
pid=$!
until grep -q tool_answered again/events.jsonl 2> /dev/null; do sleep 0.02; done
kill -9 $pid
wait $pid 2> /dev/null
forge run again > out 2>&1
echo "taken up again: $?"
outcome() { loop_log "$1" | grep -E ' tool_(asked|answered) ' | sed -E 's/^[0-9]+ //' | sort; }
outcome run > once
outcome again > twice
cmp once twice && echo 'the same calls and answers'
