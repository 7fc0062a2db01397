# Proxies and certificates of the user's environment, as forge-llm takes them.
"$CLI/llm-turns" "$CLI/llm/network.json"
