mailbox.o: src/agent/mailbox.c src/base/banned.h src/agent/mailbox.h \
  src/agent/mailbox_file.h src/agent/mailbox_post.h src/base/clock.h \
  src/base/err.h src/base/file.h src/base/json.h src/base/mem.h \
  src/base/str.h src/base/untrusted.h

src/base/banned.h:

src/agent/mailbox.h:

src/agent/mailbox_file.h:

src/agent/mailbox_post.h:

src/base/clock.h:

src/base/err.h:

src/base/file.h:

src/base/json.h:

src/base/mem.h:

src/base/str.h:

src/base/untrusted.h:
