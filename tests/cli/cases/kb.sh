# The knowledge base: a lesson is linted, certified by its probe and recalled; a certificate counts while nothing changed.
unset FORGE_KB
sub() { sed -n "$1" "$CLI/../../docs/format/lesson.md" | sed '1d;$d'; }
mkdir -p draft
sub '/^````markdown/,/^````$/p' > draft/independent-sums.md
sub '/^Its probe:/,$p' | sed '1,/^```c/d;/^```$/,$d' > draft/independent-sums.probe.c
# On whatever machine this runs: what is claimed is not what is tested here.
sed -i 's/^low = 1.3/low = 0.01/; s/^negative = false/negative = true/; s/^family = .*/family = "'"$(uname -m | tr _ -)"'"/' draft/independent-sums.md
family=$(uname -m | tr _ -)
hide() { sed -E -e 's/[0-9.]+ ratio/# ratio/g' -e 's/at least 1000/at least #/' -e "s/$family/FAMILY/g" -e 's/; here is .*/; here is DEVICE/' \
	-e 's/\(claimed[^)]*\)/(claimed)/' -e 's/ on .*, [0-9]{4}-[^:]*:[0-9:.]*Z:/ on DEVICE:/'; }
echo "# a base that is not there"
t forge kb list --base kb
mkdir kb
export FORGE_KB=$PWD/kb
echo "# a lesson enters certified or not at all"
mkdir -p "draft/$family" && mv draft/independent-sums.* "draft/$family/"
cp -R "draft/$family" bad && sed -i 's/^low = 0.01/low = 1000/' bad/independent-sums.md
mkdir worse && mv bad "worse/$family"
t forge kb add "worse/$family/independent-sums.md" 2>&1 | hide
ls kb
t forge kb add "draft/$family/independent-sums.md" 2>&1 | hide
ls "kb/$family"
t forge kb add "draft/$family/independent-sums.md" 2>&1 | hide
t forge kb list 2>&1 | hide
t forge kb search addition waits 2>&1 | hide
t forge kb show independent-sums | sed -n '2,5p' 2>&1 | hide
t forge kb show independent-sum 2>&1 | hide
t forge kb lint
t forge kb lint "draft/$family/independent-sums.md" 2>&1 | hide
t forge kb stale
t forge kb stale --family blackwell
echo "# what changes makes it stale; certifying again is the cure"
cert="kb/$family/independent-sums.cert.json"
sed -i 's/"driver": ".*"/"driver": "Linux 2.0"/' "$cert"
t forge kb stale | sed -E 's/now [^)]*/now #/'
t forge kb certify --all 2>&1 | hide
echo "# one that can not be read is found by name, too, and certifying again is the cure of it as well"
echo '{' > "$cert"
t forge kb lint independent-sums 2>&1 | sed 's/json:.*; certify/json: #; certify/' | hide
t forge kb certify independent-sums 2>&1 | hide
t forge kb lint independent-sums
echo "/* another */" >> "kb/$family/independent-sums.probe.c"
t forge kb stale
echo "# a false claim is refuted, and one that was certified by hand is found"
sed -i 's/^low = 0.01/low = 1000/' "kb/$family/independent-sums.md"
t forge kb certify independent-sums 2>&1 | hide
t forge kb list 2>&1 | hide
sed -i 's/"state": "refuted"/"state": "certified"/' "$cert"
t forge kb lint | sed -E 's/certified on .*, where/certified on #, where/; s/as [0-9.]+/as #/' 2>&1 | hide
echo "# a probe that fails shows nothing"
printf 'int main(void) { return 3; }\n' > "kb/$family/independent-sums.probe.c"
t forge kb certify independent-sums 2>&1 | hide
printf '#include <stdio.h>\nint main(void) { fputs("no such unit\\n", stderr); return 77; }\n' > "kb/$family/independent-sums.probe.c"
t forge kb certify independent-sums 2>&1 | hide
echo "# findings name file, line and cure"
printf 'As in a softmax, there are 4.\n' >> "kb/$family/independent-sums.md"
t forge kb lint 2>&1 | hide
printf 'nothing\n' > "kb/$family/torn.md"
t forge kb lint 2>&1 | grep torn 2>&1 | hide
echo "# what a run's teacher proposed enters as any other lesson, once a person says so"
recorded_task task
forge new --dir run task > /dev/null
t forge kb review run
cp -R "draft/$family" run/lessons/
export FORGE_KB=$PWD/kb2
t forge kb review run accept independent-sums --why 'measured twice' 2>&1 | hide
ls "kb2/$family"
t forge kb review run 2>&1 | hide
echo "# wrong usage"
t forge kb
t forge kb lst
t forge kb certify
t forge kb certify --all x
t forge kb certify --host nowhere --all
t forge kb review nowhere
t forge kb list --family hoper
t forge kb stale --family hoper
t forge kb list --topic zebras
t forge kb search --language cobol stores
echo "# what is waited for is said"
FK_QUEUE_HOURS=0.0003 FK_DELIVERY=spool SPOOL_DIR=spool t forge kb list 2>&1 | sed -E 's/job [^ ]*:/job #:/'
