# What agents use: priced as an independent computation does, unknown where nobody knows, limits that are
# hit once and by one call at most, and a run that is killed in the middle of a turn and pays on.
use_fake_worker
recorded_task task 's/^hours.*/hours = 0.5\nusd = 100000\ntokens = 1000000000/'
export FORGE_PRICES=$PWD/own.tsv
for seed in 1 2; do
	"$CLI/prices.py" make $seed task/replay/student.jsonl own.tsv
	forge new --dir run$seed task > /dev/null
	forge run run$seed > /dev/null
	forge status --json run$seed | "$CLI/prices.py" check task/replay/student.jsonl "$CLI/../../share/prices.tsv" own.tsv 2> records
	grep -c '[4-9][0-9] records, [34] bases' records
	forge status run$seed | grep -o 'price table of .*'
done
unset FORGE_PRICES

# Nothing was told: nothing reads 0.
recorded_task silent 's/^hours.*/hours = 0.5/'
printf '{"lines":[{"type":"submit","source":"FAKE speedup=2"},{"type":"done","usage":{"requests":1,"input":9,"output":1,"model":"nobody-knows"}}]}\n' > silent/replay/student.jsonl
run=untold
forge new --dir $run silent > /dev/null
forge run $run | only 'warning'
forge status "$run" | only '^budget|^usage|^warning'
forge status --json "$run" | grep -oE '"usd":[^,]*,"usd_basis":[^,]*'
sed -n '/^## What it cost/,/^## /p' "$run/report.md" | only '^\| M0|^\| role|^Budget'

# A limit is hit once; a turn ends at the call after the one that passed it; the best is confirmed.
recorded_task limited 's/^hours.*/hours = 0.5\nrequests = 4/'
one='{"type":"usage","requests":1,"input":80,"output":20,"usd":0.25}'
{
	printf '{"lines":[%s,{"type":"submit","source":"FAKE speedup=2"},{"type":"done"}]}\n' "$one"
	printf '{"lines":[%s' "$one"
	for i in 1 2 3 4 5 6; do printf ',{"type":"tool","id":%s,"tool":"decision"},%s' $i "$one"; done
	printf ',{"type":"submit","source":"FAKE speedup=9"},{"type":"done"}]}\n'
} > limited/replay/student.jsonl
forge new --seed 7 --dir plain limited > /dev/null
forge run plain | only 'budget|confirm:|no candidate'
forge log plain | awk '$3 == "budget_spent"' | sed "s/.*budget_spent *//"
forge status plain | only '^budget|^usage'

# Killed where the third request was told, before anybody acted on it: what was spent stays spent, and the
# same limit holds.
forge new --seed 7 --dir killed limited > /dev/null
seq=$(forge log plain | awk '$3 == "agent_spent" { n++ } n == 3 { print $1; exit }')
FORGE_CRASH_AT=events.jsonl:$seq:after forge run killed > out 2>&1
echo "exit $?"
forge run killed | only 'budget|confirm:|no candidate'
forge status killed | only '^budget|^usage'
forge log killed | awk '$3 == "agent_turn"' | grep -oE 'purpose=[^ ]*' | sort | uniq -c | awk '$1 > 1'
sed -n '/^## What it cost/,/^## /p' killed/report.md | only 'lost|^\| M0'

# Limits of a role and of each milestone: told before, held, shown.
recorded_task parts 's/^hours.*/hours = 0.5/' 's/^\[agents\]/[budget.student]\nrequests = 5\nusd = 2.0\n\n[budget.milestone]\ntokens = 150\n\n[agents]/'
for speed in 2 3 4 5 6; do
	printf '{"lines":[%s,{"type":"submit","source":"FAKE speedup=%s"},{"type":"done"}]}\n' "$one" $speed
done > parts/replay/student.jsonl
forge new --dry-run parts | only 'may use'
forge new --seed 7 --dir split parts > /dev/null
forge run split | only 'budget|confirm:|no candidate'
forge log split | awk '$3 == "budget_spent"' | sed "s/.*budget_spent *//"
forge status split | only '^budget|^limits|^usage|^  *M[0-9]'
forge status --json split | grep -o '"budgets":\[[^]]*\]' | tr '}' '\n'
grep '^- Budget of' split/report.md

# Tables that can not be read are named before anything is spent.
printf '# date: 2026-11-30\n0000-00-00\thouse\t*\tfree\n' > own.tsv
t env FORGE_PRICES=own.tsv forge run killed
t env FORGE_PRICES=nowhere.tsv forge run killed
sed 's/^requests.*/requests = 0/' limited/task.toml > task.toml && mv task.toml limited/task.toml
t forge check limited
