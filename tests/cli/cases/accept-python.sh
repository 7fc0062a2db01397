# A candidate in Python runs among the machine's files: without Landlock its run is refused, unless its user takes that. One
# in CUDA has no host code there.
"$CLI/../fake/gpu/make" machine
export LD_LIBRARY_PATH="$PWD/machine/lib" PATH="$PWD/machine/bin:$PATH" CUDA_HOME="$PWD/machine"
use_fake_worker
mv bin/forge-worker bin/worker
probe='{"version":1,"cpu":"fake cpu","cores":2,"kernel":"0","isa":"","compilers":{"gcc":"12"},"sandbox":[
{"mechanism":"landlock","available":false,"grave":false,"cost":"files are open"}]}'
printf '#!/bin/sh\n[ "$1" = probe ] || exec "${0%%/*}/worker" "$@"\necho '"'%s'\n" "$(echo "$probe" | tr -d '\n')" > bin/forge-worker
chmod +x bin/forge-worker
for language in cuda python; do
	cp -R "$CLI/../../tasks/gpu/rmsnorm" $language
	sed -i 's/^teacher = .*/teacher = "replay"/; s/^student = .*/student = "replay"/' $language/task.toml
	mkdir -p $language/replay
	: > $language/replay/teacher.jsonl
	: > $language/replay/student.jsonl
done
sed -i 's/^language = "cuda"/language = "python"/; s/^entry = .*/entry = "run"/' python/task.toml
sed -i 's/^void rmsnorm(/void run(/' python/judge/judge.c
for language in cuda python; do
	t forge new --dir run-$language $language
	t forge run run-$language 2>&1 | only -o '^\$ .*|machine lacks [a-z]*|forge run --accept .*|stage 2.*'
done
