# Reasoning goes back with the results of tools as each provider wants it, by the profiles of share/: the
# server of rules refuses what differs from what it sent. The last lines are of the server alone.
"$CLI/llm-turns" "$CLI/llm/echo.json"
python3 - "$CLI/../fake/llm-server" << 'END'
import sys
from importlib.machinery import SourceFileLoader
sys.dont_write_bytecode = True
S = SourceFileLoader("llm_server", sys.argv[1]).load_module()
reply = {"reasoning": "Hm.", "redacted": "eA==", "calls": [{"name": "build", "arguments": "{}"}]}
rules = S.Rules({"rules": []})
rules.remember(reply, {}, 1, False)
thinking = S.blocks_of_thinking(reply)
use = {"type": "tool_use", "id": "toolu_1_0", "name": "build", "input": {}}
for name, blocks in [("as sent", thinking + [use]), ("another order", thinking[::-1] + [use]), ("behind the call", [use] + thinking),
                     ("without", [use]), ("another text", [thinking[0], {**thinking[1], "thinking": "Ha."}, use])]:
    request = S.Request("/v1/messages", {"messages": [{"role": "assistant", "content": blocks}]})
    print("%s: %s" % (name, "refused" if S.echo_is_wrong(request, "thinking", rules.sent) else "taken"))
END
