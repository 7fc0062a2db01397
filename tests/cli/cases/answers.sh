# The answers that bench/campaign-gpu plays: each course passes its lint, and each of its rows that apply has one
# kernel, which is there and is no other row's.
answers=$(cd "$CLI/../../bench/answers" && pwd)
for record in "$answers"/*/*/replay*; do
	name=${record#"$answers"/}
	course=$record/v1.toml
	grep -q '"toml_file":"v1.toml"' "$record/teacher.jsonl" || echo "$name: the teacher gives another course"
	forge check --curriculum "$course" > told 2>&1 || { echo "$name:"; cat told; }
	rows=$(grep -c '^\[\[milestone.decision\]\]' "$course")
	rows=$((rows - $(grep -c '^not_applicable = true' "$course")))
	sed -n 's/.*"source_file":"\([^"]*\)".*/\1/p' "$record/student.jsonl" > files
	[ "$(wc -l < files)" = "$rows" ] || echo "$name: $rows rows that apply, $(wc -l < files) kernels"
	while read -r file; do
		[ -s "$record/$file" ] || echo "$name: no $file"
		sha256sum < "$record/$file"
	done < files | sort | uniq -d | sed "s|.*|$name: two rows have the same kernel|"
done
