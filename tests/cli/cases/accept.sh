# A machine without what a sandbox rests on: the run is refused, unless its user takes each lack by name.
use_fake_worker
recorded_task task
mv bin/forge-worker bin/worker
probe='{"version":1,"cpu":"fake cpu","cores":2,"kernel":"0","isa":"","compilers":{"gcc":"12"},"sandbox":[
{"mechanism":"seccomp","available":false,"grave":true,"cost":"a kernel may call the system"},
{"mechanism":"net_ns","available":false,"grave":true,"cost":"seccomp alone"},
{"mechanism":"memory_cgroup","available":false,"grave":false,"cost":"limits by process"}]}'
printf '#!/bin/sh\n[ "$1" = probe ] || exec "${0%%/*}/worker" "$@"\necho '"'%s'\n" "$(echo "$probe" | tr -d '\n')" > bin/forge-worker
chmod +x bin/forge-worker
fake_student task 'FAKE speedup=2'
t forge new --dir run task
t forge run run
t forge run --accept no-seccomp run
t forge run --accept no-such-thing run
t forge run --accept no-seccomp,no-net-ns run | only 'ended|goal met|stage 2'
grep -n 'accepted this' run/report.md | sed -E 's/^[0-9]+://'
# What was taken once is not asked for again.
t forge run run | only 'goal met|ended'
forge status --json run | grep -oE '"accepted":("[a-z-]*"|null),"cost":"[a-z ]*","mechanism":"(seccomp|net_ns|memory_cgroup)"'
