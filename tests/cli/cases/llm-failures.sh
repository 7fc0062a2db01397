# What a provider can do wrong: what is repeated, what is not, and the class that is told.
"$CLI/llm-turns" "$CLI/llm/failures.json"
