test_beneath.o: tests/unit/sys/test_beneath.c src/base/banned.h \
  src/sys/beneath.h src/base/err.h src/base/file.h src/base/mem.h \
  tests/unit/test.h

src/base/banned.h:

src/sys/beneath.h:

src/base/err.h:

src/base/file.h:

src/base/mem.h:

tests/unit/test.h:
