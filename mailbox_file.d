mailbox_file.o: src/agent/mailbox_file.c src/base/banned.h \
  src/agent/mailbox_file.h src/agent/mailbox.h src/base/err.h \
  src/base/json.h src/base/mem.h src/base/str.h

src/base/banned.h:

src/agent/mailbox_file.h:

src/agent/mailbox.h:

src/base/err.h:

src/base/json.h:

src/base/mem.h:

src/base/str.h:
