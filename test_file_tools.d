test_file_tools.o: tests/unit/agent/test_file_tools.c src/base/banned.h \
  src/agent/file_tools.h src/agent/clip.h src/agent/tool_table.h \
  src/agent/agent.h src/base/mem.h src/base/err.h src/base/file.h \
  src/base/json.h src/base/str.h tests/unit/test.h

src/base/banned.h:

src/agent/file_tools.h:

src/agent/clip.h:

src/agent/tool_table.h:

src/agent/agent.h:

src/base/mem.h:

src/base/err.h:

src/base/file.h:

src/base/json.h:

src/base/str.h:

tests/unit/test.h:
