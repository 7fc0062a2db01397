file_tools.o: src/agent/file_tools.c src/base/banned.h \
  src/agent/file_tools.h src/agent/clip.h src/agent/tool_table.h \
  src/agent/agent.h src/base/mem.h src/base/err.h src/base/json.h \
  src/base/str.h src/base/untrusted.h src/sys/beneath.h

src/base/banned.h:

src/agent/file_tools.h:

src/agent/clip.h:

src/agent/tool_table.h:

src/agent/agent.h:

src/base/mem.h:

src/base/err.h:

src/base/json.h:

src/base/str.h:

src/base/untrusted.h:

src/sys/beneath.h:
