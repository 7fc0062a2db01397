# A claim is held, signed, exported, released, taken away from its run and found changed; K=8 measures it
# again.
recorded_task task
forge new --dir run task > /dev/null
t forge verify run
forge run run > /dev/null 2>&1
ls run/best
t forge verify --no-run run | sed -E 's/(chain +)[0-9a-f]+/\1HEAD/'
t forge sign --new-key key
t forge sign --new-key key
t forge sign key run
t forge sign key
t forge verify --no-run --key key.pub run/best | sed -E 's/(chain +)[0-9a-f]+, signed by [0-9a-f]+/\1HEAD, signed by KEY/'
cp -R run/best away
# Whether the intervals meet is the machine's business; that there is an answer is ours.
forge verify -k 8 --json --key key.pub away > out 2> /dev/null
case $? in 0 | 2) echo 'there is an answer' ;; *) echo "exit $?" ;; esac
grep -oE '"outcome":"(reproduced|not reproduced)"' out | sed 's/not reproduced/reproduced/'
grep -oE '"reason":"ok"' out
# What leaves: a library that holds the measured bytes, a bundle for review, a released kernel.
t forge export run
(cd hypot_ratio-c && make -s && ./example && make -s check) 2>&1
forge judge run hypot_ratio-c/src/kernel.c | tail -n 1
t forge export run
t forge export --form review --to bundle run
only '^# |wrote this kernel|wrong' < bundle/REVIEW.md | cut -c 1-60
t forge export --form kernels --to kernels run 2>&1 | sed -E 's#cpu/[^/]*/#cpu/MODEL/#'
place=$(echo kernels/cpu/*/hypot_ratio)
forge verify --no-run "$place" | sed -E 's#cpu/[^/]*/#cpu/MODEL/#; /chain  /d'
t forge kernels --check kernels
only '^## Losses' < kernels/README.md
echo >> "$place/kernel.c"
t forge kernels --check kernels 2>&1 | sed -E 's#cpu/[^/]*/#cpu/MODEL/#g; s/sha256 .*/sha256 #/'
t forge export --form c --to never "$place" 2>&1 | sed -E 's#cpu/[^/]*/#cpu/MODEL/#g; s/sha256 .*/sha256 #/'
ls never 2>&1
echo >> away/samples.csv
t forge verify away | sed -E 's/sha256 [0-9a-f]+, was [0-9a-f]+/sha256 #/'
sed -i 's/"seed"/"Seed"/' run/events.jsonl
t forge verify --no-run run | sed -E 's/(chain +)[0-9a-f]+/\1HEAD/'
t forge verify -k 2 run
t forge verify nothing
mkdir lost && echo '{"reason":"the kernel of round 5 was not confirmed"}' > lost/outcome.json
t forge verify lost
t forge export lost
