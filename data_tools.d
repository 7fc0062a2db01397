data_tools.o: src/agent/data_tools.c src/base/banned.h \
  src/agent/data_tools.h src/agent/tool_table.h src/agent/agent.h \
  src/base/mem.h src/base/json.h src/base/str.h

src/base/banned.h:

src/agent/data_tools.h:

src/agent/tool_table.h:

src/agent/agent.h:

src/base/mem.h:

src/base/json.h:

src/base/str.h:
