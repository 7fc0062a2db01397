# tools/lint-prompts and tools/lint-words: each kind of slip in a prompt or in the strategy is found.
root=$CLI/../..
fresh() {
	rm -rf tree
	mkdir -p tree/tools tree/src/engine
	cp "$root"/tools/lint-prompts "$root"/tools/lint-words tree/tools/
	cp "$root"/src/engine/prompt_slots.def tree/src/engine/
	cp -R "$root/share" tree/
}
slip() { # WHAT FILE SED: then both lints, what they find
	fresh
	sed -i "$3" "tree/$2"
	echo "# $1"
	{ tree/tools/lint-prompts; tree/tools/lint-words | grep -v ': ok'; } | sed -E 's/:[0-9]+/:#/g'
}
fresh
t tree/tools/lint-prompts
t tree/tools/lint-words
slip 'a slot that nobody fills' share/prompts/judge.md 's/{{kit}}/{{kit}}\n{{reference}}/'
slip 'a filled slot that is not used' share/prompts/round.md 's/{{row}}/the row/'
slip 'the same, declared optional' src/engine/prompt_slots.def 's/^PROMPT_SLOT(round, row, json, NEEDED)/PROMPT_SLOT(round, row, json, OPTIONAL)/'
slip 'a row without its file' src/engine/prompt_slots.def '$a PROMPT_SLOT(farewell, frame, frame, NEEDED)'
slip 'a row that is torn' src/engine/prompt_slots.def 's/^PROMPT_SLOT(goal, goal, json, NEEDED)/PROMPT_SLOT(goal, goal)/'
slip 'no version' share/prompts/goal.md '1s/.*/# Goal/'
slip 'the name of another' share/strategy/2-structure.md '1s/2-structure/structure/'
slip 'braces without a slot' share/prompts/kit.md 's/{{flags}}/{{ flags }}/'
slip 'a text of others before the frame' share/prompts/goal.md '2s/^/{{description}}\n/'
slip 'a slot in the strategy' share/strategy/3-course.md '$a {{row}}'
slip 'an operator in a prompt' share/prompts/goal.md '$a Think of a softmax.'
slip 'the structure of one in the strategy' share/strategy/2-structure.md '$a Keep the kv cache near, or use im2col.'
mkdir -p tree/llm
echo '/* for attention */' > tree/llm/chat.c
tree/tools/lint-words | head -n 1 | sed 's/, or.*//'
