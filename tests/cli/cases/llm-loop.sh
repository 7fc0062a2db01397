# forge-llm's loop of tools in both formats, with a server of rules as the provider.
"$CLI/llm-turns" "$CLI/llm/loop.json"
