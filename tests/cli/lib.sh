# Helpers of the cases. A case is a transcript: `t COMMAND` shows the command, what it says and,
# unless 0, its exit code.
t() {
	printf '$ %s\n' "$*"
	"$@"
	code=$?
	[ $code = 0 ] || echo "[exit $code]"
	return 0
}

# A copy of forge in a folder of its own has no share/ beside it.
export FORGE_SHARE="$CLI/../../share"
# What was certified on this machine is no business of a case.
export FORGE_KB="$CLI/no-lessons"

# The recorded task in ./NAME; each further argument is a sed script for its task.toml.
recorded_task() {
	cp -R "$CLI/task" "$1"
	name=$1
	shift
	for edit; do
		sed -i "$edit" "$name/task.toml"
	done
}

# Lines of a file or of a command's output that match; the rest is not this case's business.
only() { grep -E "$@" || echo "no line matches $*"; }

# From here on `forge` is one whose worker measures nothing: what it answers stands as markers in
# the candidates (tests/fake/fake-worker), so that no case depends on how fast anything is.
fake_forge() {
	mkdir fakebin
	cp "$FORGE_BIN/forge" fakebin/forge
	cp "$CLI/../fake/fake-worker" fakebin/forge-worker
	PATH=$PWD/fakebin:$PATH
}

# The task of such a run in ./NAME, with empty records; further arguments edit its task.toml.
fake_task() {
	cp -R "$CLI/../crash/task" "$1"
	: > "$1/replay/student.jsonl"
	: > "$1/replay/teacher.jsonl"
	name=$1
	shift
	for edit; do
		sed -i "$edit" "$name/task.toml"
	done
}

# Answers of the student of ./$name, in order: markers of a candidate, or the name of an answer.
student() {
	for answer; do
		case $answer in
		give_up | handback) echo "{\"type\":\"$answer\",\"reason\":\"as told\"}" ;;
		*) echo "{\"type\":\"submit\",\"source\":\"$answer\"}" ;;
		esac
	done >> "$name/replay/student.jsonl"
}

# Answers of its teacher: a curriculum's file, or the name of an answer.
teacher() {
	for answer; do
		case $answer in
		*.toml) echo "{\"type\":\"curriculum\",\"toml_file\":\"$answer\"}" ;;
		*) echo "{\"type\":\"$answer\",\"reason\":\"as told\"}" ;;
		esac
	done >> "$name/replay/teacher.jsonl"
}

# A curriculum on standard output: M0 with one row that applies, then what standard input says:
#   M1                      begins a milestone
#   D1.1 needs=D0.1,D1.3 metric=vector_bits:up:to=256 value=a_b    a row; _ is a blank
# A row D0.1 in front of all milestones tells more about the first row.
course() {
	awk -v topics='tile_shapes thread_roles register_budget residency order overlap' '
	function begin(id, gate) {
		printf "[[milestone]]\nid = \"%s\"\ntitle = \"Part %s\"\ngate = \"%s\"\n\n", id, id, gate
	}
	function prediction(text,    w, n) {
		n = split(text, w, ":")
		printf "mechanism = { metric = \"%s\", direction = \"%s\"%s }\n", w[1], w[2], (n > 2 ? ", " w[3] : "")
	}
	function put(id, words,    i, n, w, at, key, text, has) {
		printf "[[milestone.decision]]\nid = \"%s\"\n", id
		has["what"] = "step " id; has["value"] = "as it is"; has["why"] = "may save time"
		has["wrong_when"] = "the time does not fall"; has["mechanism_none"] = "no metric shows it"
		n = split(words, w, " ")
		for (i = 1; i <= n; i++) {
			at = index(w[i], "="); key = substr(w[i], 1, at - 1); text = substr(w[i], at + 1)
			if (key != "metric" && key != "covers") gsub("_", " ", text)
			if (key == "needs") gsub(",", "\", \"", text)
			has[key] = text
		}
		for (key in has) {
			if (key == "lessons") { gsub(",", "\", \"", has[key]); printf "lessons = [\"%s\"]\n", has[key] }
			else if (key == "needs") printf "needs = [\"%s\"]\n", has[key]
			else if (key == "predicts") printf "predicts = %s\n", has[key]
			else if (key == "metric") prediction(has[key])
			else if (!(key == "mechanism_none" && ("metric" in has)))
				printf "%s = \"%s\"\n", key, has[key]
		}
		print ""
	}
	function structure(words,    n, w, i) {
		begin("M0", "correctness")
		put("D0.1", "covers=work_split " words)
		n = split(topics, w, " ")
		for (i = 1; i <= n; i++)
			printf "[[milestone.decision]]\nid = \"D0.%d\"\ncovers = \"%s\"\nwhat = \"nothing\"\n" \
				"why = \"one core\"\nnot_applicable = true\n\n", i + 1, w[i]
	}
	BEGIN { print "version = 1\n" }
	/^D0.1/ { first = $0; sub(/^[^ ]+ */, "", first); next }
	!begun { structure(first); begun = 1 }
	/^M/ { begin($1, "correctness+performance+mechanism"); next }
	/^D/ { id = $1; sub(/^[^ ]+ */, ""); put(id, $0) }'
}

# The log of the inner loop.
loop_log() { stage_log "$1" student confirm; }

# The log from one stage to the next, one event a line; times, digests and measured numbers aside.
stage_log() {
	sed -E -n '/"stage":"'"$2"'"/,/"stage":"'"$3"'"/p' "$1/events.jsonl" | sed -E \
		-e 's/^\{"body":(.*),"mono_ns":.*"seq":([0-9]+),"type":"([a-z_]*)".*/\2 \3 \1/' \
		-e 's/"estimate":\{"call":"([a-z]*)"[^]]*\][^}]*"purpose":"([a-z]*)"[^]]*\][^}]*\}/"estimate":"\1 \2"/' \
		-e 's/"estimate":\{"call":"([a-z]*)"[^]]*"purpose":"([a-z]*)"[^]]*\][^}]*\}/"estimate":"\1 \2"/' \
		-e 's/"(seconds|usd|before|after|bytes|ratio|low|high|expected|speedup)":[-0-9.e]+/"\1":#/g' \
		-e 's/"usage":\{[^}]*\}/"usage":"..."/' \
		-e 's/"milestones":\[.*\],"path"/"path"/'
}

# From here on forge works with the fake worker: what it answers stands in the candidates' sources.
use_fake_worker() {
	mkdir -p bin
	cp "$FORGE_BIN/forge" bin/forge
	cp "$CLI/../fake/fake-worker" bin/forge-worker
	PATH="$PWD/bin:$PATH"
}
# The student of the recorded task in ./TASK: a source a line.
fake_student() { # TASK SOURCE...
	record=$1/replay/student.jsonl
	shift
	for source; do
		printf '{"type":"submit","source":"%s"}\n' "$source"
	done > "$record"
}

# A run of two rounds whose student is a CLI agent: fake_forge, share/ beside it, the task, and a
# folder agents/ at the head of PATH for the agent's program.
cli_agent_task() { # DRIVER [lines for the end of task.toml]
	fake_forge
	mkdir share agents
	ln -s "$CLI/../../share" share/forge
	PATH=$PWD/agents:$PATH
	fake_task task "s/^student = .*/student = \"$1\"/"
	printf '%s\n' "${2:-}" >> task/task.toml
	course > task/replay/v1.toml << 'END'
M1
D1.1 needs=D0.1
END
	teacher v1.toml
}
# One of tests/fake in agents/, as a program of this name; its script is agents/FAKE.script.
cli_agent_fake() { # FAKE NAME
	cp "$CLI/../fake/fake_script.py" agents/
	cp "$CLI/../fake/$1" "agents/$2"
}
# Run it; what the agent and the log say, and what it used.
cli_agent_run() {
	forge new --dir run task > /dev/null
	forge run run > out 2>&1
	echo "run: exit $?"
	grep -E '^ *agent: |^round |error' out
	grep '"role":"student"' run/events.jsonl | sed -nE 's/.*"agent":"([^"]*)","answer":"([^"]*)".*"driver":"([^"]*)".*"purpose":"([^"]*)".*"repairs":([0-9]+).*/\4: \3 \1 answers \2, \5 repairs/p'
	cat run/agents/*-student-*[0-9].jsonl | tr -d '\\' | grep -o '"line":"{"type":"done",.*}"' | sed 's/^"line"://'
	ls run/agents | grep student
}
