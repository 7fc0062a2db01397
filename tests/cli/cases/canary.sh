# Markers in a blackbox reference, in the judge, in the held-out shape, the key and the seed of all hidden
# inputs are nowhere where an agent process could read them.
cp -R "$CLI/chain" task
sed -i 's/"replay"/"tuner"/; s/^source = true/blackbox = true/; s/max_meta = 1/max_meta = 0/' task/task.toml
sed -i 's/TIMES/QZREFTEXT/g' task/reference/kernel.c
# What its compiler says, and the names of its object, hold it as well.
sed -i 's/a \* a/QZREFTEXT_square(a)/
/^void/i#warning QZREFTEXT\nstatic __attribute__((noinline)) float QZREFTEXT_square(float v)\n{\n\treturn v * v;\n}\n' task/reference/kernel.c
sed -i '1i/* QZJUDGETEXT */' task/judge/judge.c
sed -i 's/"held"/"qzheldout"/; s/2003/2011/' task/shapes.json
# A group whose expected outputs all begin alike: hypot(1234.5, 1234.5) / 1235.5 = 1.4130...
sed -i 's/"kind": "uniform", "low": 1, "high": 2/"kind": "uniform", "low": 1234.5, "high": 1234.6/g' task/shapes.json
rm -rf task/replay-g*
# One value in a hundred is off, then the same kernel with all of them right.
cp task/replay/four.c right.c
sed 's/z\[i\] = r;/z[i] = i % 100 ? r : 1.5f * r;/' right.c > wrong.c
sed -E '/covers = "tile_shapes"/,/not_applicable/{s/not_applicable = true/value = "one"\nwrong_when = "it is wrong"\nmechanism_none = "it shows nowhere"/}' task/replay/v1.toml > course.toml

t forge new --dry-run task | sed -n '/the student may not/,/the estimate/p'
t forge new --dir run task
head -c 18 run/reference/kernel.c && echo
head -c 18 run/task/reference/kernel.c && echo
stat -c %a "$WORK/keys/seal.key"
seed=$(sed -nE 's/.*"seed": ?([0-9]+).*/\1/p' run/run.json)
key=$(cat "$WORK/keys/seal.key")
mkdir -p bin share/forge
cp "$FORGE_BIN"/forge* bin/
cp -R "$CLI/../../include" share/forge/
python3 "$CLI/spy.py" course.toml wrong.c right.c -- QZREFTEXT QZJUDGETEXT qzheldout "$seed" "$key" 1.413 > bin/forge-tuner
chmod +x bin/forge-tuner
bin/forge run run > out 2> err
echo "run: exit $?"
grep -E '^round' out | sed -E 's:worst at .[0-9]+.:worst at [#]:'
grep -c 'spy: looked' out
grep 'spy: was told' out | sort | uniq -c
cat run/jobs/*/log/reference.txt | sort -u
# A reference that does not build any more: its run says where, and whoever has the source is told why.
cp -R task broken
sed -i 's/QZREFTEXT_square(a)/QZREFTEXT_missing(a, QZREFTEXT_none)/' broken/reference/kernel.c
forge new --dir unbuilt broken > /dev/null
bin/forge run unbuilt 2>&1 | grep -o 'does not build.*' | sed -E 's:[0-9]+.[0-9]+. error:#.# error:' | sort -u
grep -rlF QZREFTEXT unbuilt || echo 'nor does that run'
forge check broken 2>&1 | grep -o "error: .QZREFTEXT_none. undeclared"
grep 'spy: marker' out || echo 'the spy found no marker'
for marker in QZREFTEXT QZJUDGETEXT qzheldout "$seed" "$key" 1.413; do
	grep -rlF -e "$marker" run/agents && echo 'a transcript holds a marker'
done
# The text of the reference is nowhere in the whole run directory, the bundles of its jobs included.
grep -rlF QZREFTEXT run || echo 'the run directory does not hold the text'
grep -F QZREFTEXT out err
t bin/forge judge run right.c | only 'cases' | grep -oE 'pass|fail'
grep -rlF QZREFTEXT run
# Whoever has the directory and not the key can measure nothing.
FORGE_KEYS="$PWD/none" bin/forge judge run right.c 2>&1 | sed -E 's/key [0-9a-f]{16}/key ID/'

# The spy does find what is there: the same in source mode, where the teacher may read the reference.
sed -i 's/^blackbox = true/source = true/' task/task.toml
t forge new --dir open task
cp "$CLI/../fake/fake-worker" bin/forge-worker
bin/forge run open > out 2> err
grep 'spy: marker 1' out | sort -u
