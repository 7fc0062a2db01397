# Which agents can run, and why not: programs that are missing, too old or without a key. No value of a
# key is ever shown. --live asks the named ones, and those alone.
key=sk-canary-7c41d0e2
mkdir bin
for name in acp-agent claude codex fake_script.py; do cp "$CLI/../fake/$name" bin/; done
cp bin/acp-agent bin/gemini
printf '[version]\n1.9.9 (Claude Code)\n' > bin/claude.script
printf '[version]\ncodex-cli 0.169.0\n' > bin/codex.script
python=$(command -v python3)
run() { env -i PATH="$PWD/bin:$(dirname "$python"):/usr/bin:/bin" HOME="$HOME" FORGE_SHARE="$FORGE_SHARE" LC_ALL=C.UTF-8 "$@" "$FORGE_BIN/forge" doctor --agents $options; }
options=
run CODEX_API_KEY=$key DEEPSEEK_API_KEY=$key > out
echo "exit $?"
grep -c "$key" out
grep -E '^ +(driver|claude|codex|cmd|manual|tuner)|anthropic  |deepseek|llama.cpp|gemini|goose' out | sed 's/  */ /g'
options=--json
run CODEX_API_KEY=$key | grep -oE '"can_run":[a-z]+,"driver":"codex","keys":\[[^]]*\]'
echo "ANTHROPIC_API_KEY=$key" > local.env
chmod 600 local.env
options=
run X=y | grep -E '^ +anthropic  ' | sed 's/  */ /g'

cat > rules.json << END
{"key": "$key", "rules": [
 {"match": {"tool": "give_up"}, "reply": {"calls": [{"name": "give_up", "arguments": {"reason": "reached"}}], "usage": {"input": 90, "output": 10}, "model": "claude-opus-5-5"}},
 {"status": 401, "body": {"error": {"type": "authentication_error", "message": "no $key"}}}
]}
END
"$CLI/../fake/llm-server" rules.json --url-file url --log requests > /dev/null &
server=$!
for i in $(seq 1 100); do [ -e url ] && break; sleep 0.1; done
options='--live anthropic=claude-opus-5-5-20260801,goose'
run FORGE_LLM_BASE_URL="$(cat url)" > out
echo "exit $?"
grep -c "$key" out
grep -E '^ +(anthropic  |acp +goose)' out | sed 's/  */ /g'
grep -c '"rule"' requests
grep -o 'claude-opus-5-5-20260801' requests | sort -u
options='--live anthropic=claude-opus-5-5 --json'
run FORGE_LLM_BASE_URL="$(cat url)" ANTHROPIC_API_KEY=sk-wrong > out
echo "exit $?"
grep -oE '"live":\{"answer":"[a-z_]*","answered":[a-z]*' out
grep -c "$key" out
kill $server
t forge doctor --live anthropic
t forge doctor --agents --live nobody
