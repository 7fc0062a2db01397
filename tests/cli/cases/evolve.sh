# slow: every generation is a whole run; evolve_kill is its short form
# alone: each generation must be faster than the one before
# A chain of generations with recorded agents and the real worker: the work falls from sixteen times to
# four times to once, then nothing more is found.
cp -R "$CLI/chain" task
t forge evolve --dry-run --step 1.1 --budget 2 task | only '^every|^its|^no further|^  (after|once)|^nothing'
t ls
t forge evolve --step 1 task | only nothing
t forge evolve --dir chain task > out
grep -vE '^(stage| |forge: )|curriculum|gate|inner loop|confirm' out | sed -E 's/[0-9.]+ % \[[^]]*\]/# % [#]/'
t forge evolve chain
grep -oE '"type":"[a-z_]+"' chain/chain.jsonl | uniq -c | sed -E 's/^ +//'
grep -E '^\*\*|^Goal|^The chain' chain/report.md
# Judge and tolerances are the same bytes in every generation, and the references are what was best before.
for k in 1 2; do
	cmp chain/runs/g0/check/judge.c chain/runs/g$k/check/judge.c
	cmp chain/runs/g0/check/tolerances.json chain/hypot_ratio-g$k/judge/tolerances.json
	cmp chain/runs/g0/check/tolerances.json chain/runs/g$k/check/tolerances.json
	cmp chain/runs/g$((k - 1))/best/kernel.c chain/runs/g$k/reference/kernel.c
done
ls chain/hypot_ratio-g1/reference
cmp chain/best/kernel.c task/replay-g1/once.c && echo 'the best is the one of generation 1'
# The ratio over generation 0 comes from a job against its reference, not from the steps.
cmp chain/direct/g1/job/reference/kernel.c task/reference/kernel.c && echo 'timed against the first reference'
t forge check --no-run chain/hypot_ratio-g1 | tail -n 1
t forge report chain
t forge log chain | only 'chain_ended' | grep -oE 'goal_met=[a-z]+'
t forge run chain
t forge evolve --step 1.2 chain
t forge evolve chain/runs/g0
