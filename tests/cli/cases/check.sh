# A broken task is told file and line.
recorded_task unknown-key 's/^threads/thread/'
t forge check unknown-key
recorded_task torn 's/^name = "hypot_ratio"/name = "hypot/'
t forge check torn
recorded_task expr 's/shape = \["n"\]/shape = ["m"]/'
t forge check expr
recorded_task few
sed -i 's/"uniform", "low": 1, "high": 2/"unifrom", "low": 1, "high": 2/' few/shapes.json
t forge check --no-run few
recorded_task how
echo 'Use a loop with AVX2 and unroll it.' >> how/description.md
t forge check --no-run how
recorded_task judge
sed -i 's/+ 1.0/+ 1.1/' judge/judge/judge.c
t forge check judge | sed -E 's/\[[0-9]+\]/[#]/; s/error [0-9.]+/error #/'
recorded_task nojudge
rm -r nojudge/judge
t forge check nojudge
t forge check nowhere
