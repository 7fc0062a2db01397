# Helpers of the cases. A case is a transcript: `t COMMAND` shows the command, what it says and,
# unless 0, its exit code.
t() {
	printf '$ %s\n' "$*"
	"$@"
	code=$?
	[ $code = 0 ] || echo "[exit $code]"
	return 0
}

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
only() { grep -E "$1" || echo "no line matches $1"; }
