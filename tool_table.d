tool_table.o: src/agent/tool_table.c src/base/banned.h \
  src/agent/tool_table.h src/agent/agent.h src/base/mem.h src/base/err.h \
  src/base/json.h src/base/opt.h src/base/str.h src/agent/tools.def

src/base/banned.h:

src/agent/tool_table.h:

src/agent/agent.h:

src/base/mem.h:

src/base/err.h:

src/base/json.h:

src/base/opt.h:

src/base/str.h:

src/agent/tools.def:
