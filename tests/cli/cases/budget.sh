# Tokens and dollars: warned of at 50 and 80 %, told per milestone, the best confirmed when they are
# used up. What is left of a run is told before it goes on.
use_fake_worker
recorded_task task 's/^hours.*/hours = 0.5\nusd = 10.0\ntokens = 1000/'
spend() { # SOURCE TOKENS USD
	printf '{"lines":[{"type":"submit","source":"%s"},{"type":"done","usage":{"tokens":%s,"usd":%s}}]}\n' "$@"
}
{
	spend 'FAKE speedup=2' 300 0.5
	spend 'FAKE reason=wrong_value' 300 0.25
	spend 'FAKE speedup=3' 600 0.5
	spend 'FAKE speedup=4' 600 0.5
} > task/replay/student.jsonl
t forge run --dry-run task | only '^plan|^at most|student  |nothing'
t forge new --dir run task
t forge run --dry-run run | only 'student  |total|at most|nothing'
t forge run run
forge status run | only '^budget|^clocks'
forge status --json run | grep -o '"costs":\[.*\],"dispatch' | grep -oE '"(milestone|lost_turns|turns|basis)":[^,}]*' | tr '\n' ' '
echo
t forge run --dry-run run | only 'freeze|student  |total|at most'
sed -n '/^## What it cost/,/^## /p' run/report.md | grep -E '^\|'
forge log run | awk '$3 == "budget_spent"' | sed "s/.*budget_spent *//"
