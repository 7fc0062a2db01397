test_mailbox.o: tests/unit/agent/test_mailbox.c src/base/banned.h \
  src/agent/mailbox.h src/agent/mailbox_file.h src/base/clock.h \
  src/base/err.h src/base/file.h src/base/json.h src/base/mem.h \
  src/base/str.h tests/unit/test.h

src/base/banned.h:

src/agent/mailbox.h:

src/agent/mailbox_file.h:

src/base/clock.h:

src/base/err.h:

src/base/file.h:

src/base/json.h:

src/base/mem.h:

src/base/str.h:

tests/unit/test.h:
