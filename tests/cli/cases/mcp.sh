# `forge mcp` as a process, with 2000 mutated lines (make check-mcp: 100000), and what configures it.
python3 "$CLI/../mcp/check.py" --lines 2000 | grep -v '^# '
recorded_task task
forge new --dir run task > /dev/null
t forge mcp
t forge mcp --run nowhere
t forge mcp --run run --role judge
t forge mcp --run run --mailbox run
t forge mcp-config
t forge mcp-config --for emacs
t forge mcp-config --for codex
t forge mcp-config --for vscode --run run --role teacher
t forge mcp-config --for claude --run run
# Before the run has offered a turn, and at the end of the input.
echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | t forge mcp --run run
# The README shows what is printed.
for client in claude codex; do
	forge mcp-config --for $client --run run | sed "s#\"$FORGE_BIN/forge\"#\"/usr/local/bin/forge\"#; s#$PWD/run#/home/me/r1#" |
		while read -r line; do
			grep -qF "$line" "$CLI/../../README.md" || echo "$client: not in README.md: $line"
		done
done
