# A whole run with recorded agents to its goal, then everything that reads it.
# alone: two kernels must be told apart by their times
recorded_task task
t forge new --dir run task
t forge run run
t forge run run
t forge status run
forge status --json run > out
grep -oE '"is_goal_met":[a-z]+|"outcome":"[a-z_]+"' out
forge log run | grep -vE ' (warning|machine_lack) ' > out
awk '{print $3}' out | uniq -c | sed -E 's/^ +//'
t forge log --explain 2 run
[ "$(forge log --json run | grep -c '^{"body":{.*},"digest":"[0-9a-f]*","seq":')" = "$(grep -c '' run/events.jsonl)" ] &&
	echo 'every event is a JSON line'
t forge report run
cp run/report.md before.md
t forge report run
cmp before.md run/report.md && echo 'the report is the same again'
grep -E '^\*\*|^Goal' run/report.md
grep -c '<svg ' run/report.html
grep -E 'was changed|something else' run/report.md || echo 'no file was changed'
cp -R run touched
echo >> touched/best/kernel.c
sed -i 's/"speedup": *[0-9.]*/"speedup":99.5/' touched/best/evidence.json
for file in touched/jobs/confirm*/samples.csv; do echo >> "$file"; done
forge report touched > /dev/null
grep -E 'was changed|something else' touched/report.md
t forge judge run run/best/kernel.c | only 'pass|fail'
# A log that somebody changed is refused.
sed -i '3s/"v":1/"v":2/' run/events.jsonl
t forge log run | only nothing
t forge status run
t forge run run
