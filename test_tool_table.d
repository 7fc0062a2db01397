test_tool_table.o: tests/unit/agent/test_tool_table.c src/base/banned.h \
  src/agent/tool_table.h src/agent/agent.h src/base/mem.h src/base/err.h \
  src/base/json.h src/base/str.h tests/unit/test.h

src/base/banned.h:

src/agent/tool_table.h:

src/agent/agent.h:

src/base/mem.h:

src/base/err.h:

src/base/json.h:

src/base/str.h:

tests/unit/test.h:
