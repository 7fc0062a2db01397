# A run in which models play both roles, teacher and student in one format each, with a server of
# rules as the provider. What they said stands in the events; the key stands nowhere.
fake_forge
cp "$FORGE_BIN/forge-llm" fakebin/
export FORGE_SHARE="$CLI/../../share"
fake_task task 's/^teacher = .*/teacher = "anthropic"/' 's/^student = .*/student = "openai-chat"/' \
	's/^max_meta = .*/max_meta = 0/'
cat >> task/task.toml << 'END'

[agents.anthropic]
model = "fake-large"

[agents.openai-chat]
profile = "deepseek"
model = "fake-small"
END
course > v1.toml << 'END'
M1
D1.1 needs=D0.1
END
key=sk-canary-5b1a9d77e0
cat > rules.json << END
{"key": "$key", "demand_reasoning": "reasoning_content", "rules": [
 {"match": {"tool": "report_findings", "results": 0}, "reply": {"calls": [{"name": "time", "arguments": {}}]}},
 {"match": {"tool": "report_findings", "results": 1}, "reply": {"calls": [{"name": "report_findings", "arguments": {"findings": "loads bound it\\nnothing else"}}]}},
 {"match": {"format": "anthropic", "results": 0, "has": "loads bound it"}, "reply": {"reasoning": "Look first.", "calls": [{"name": "reference_facts", "arguments": {}}, {"name": "task", "arguments": {}}]}},
 {"match": {"format": "anthropic", "results": 2}, "reply": {"calls": [{"name": "publish_curriculum", "arguments": {"toml": "@v1.toml"}}]}},
 {"match": {"results": 0}, "reply": {"reasoning": "r", "calls": [{"name": "write", "arguments": {"path": "k.c", "content": "FAKE speedup=1.5"}}, {"name": "build", "arguments": {"path": "k.c"}}]}},
 {"match": {"results": 2}, "reply": {"reasoning": "r", "calls": [{"name": "submit", "arguments": {"sauce": "x"}}]}},
 {"match": {"results": 3, "last": "sauce"}, "reply": {"reasoning": "r", "text": "the key is $key", "calls": [{"name": "submit", "arguments": {"path": "k.c", "note": "by hand"}}]}},
 {"match": {"results": 0}, "status": 500, "body": {"error": {"type": "api_error", "message": "no $key"}}},
 {"match": {"results": 0}, "reply": {"reasoning": "r", "calls": [{"name": "submit", "arguments": {"source": "FAKE speedup=3.5"}}]}}
]}
END
echo "DEEPSEEK_API_KEY=$key" > local.env
chmod 600 local.env
"$CLI/../fake/llm-server" rules.json --url-file url --log requests > /dev/null &
server=$!
for i in $(seq 1 100); do [ -e url ] && break; sleep 0.1; done
FORGE_LLM_BASE_URL=$(cat url)
export FORGE_LLM_BASE_URL
forge new --dir run task > /dev/null
forge run run 2>&1 | grep -o 'there is no key: set ANTHROPIC_API_KEY'
ANTHROPIC_API_KEY=sk-of-nobody-at-all forge run run 2>&1 | grep 'can not be asked'
ANTHROPIC_API_KEY=$key forge run run > run.out 2>&1
echo "ended: $?"; grep "goal met" run.out | grep -o "goal met"
kill $server
grep '"type":"agent_turn"' run/events.jsonl | grep -oE '"(answer|driver|kind|agent)":"[a-z_-]*"' | paste -d ' ' - - - -
python3 -c '
import json
for line in open("requests"):
    r = json.loads(line)
    print(r["path"], r["status"], r["rule"], r["body"].get("model"), len(r["body"]["messages"]))'
python3 -c '
import json
for line in open("run/agents/0003-student-round-0001.jsonl"):
    r = json.loads(json.loads(line)["line"])
    if r["type"] in ("tool", "tool_result"):
        print(r["type"], *[r[k] for k in ("tool", "outcome", "text") if k in r])'
echo "the key: $(grep -rlF "$key" run run.out task | wc -l) files"
grep -rhoF 'the key is ***' run/agents | head -n 1
