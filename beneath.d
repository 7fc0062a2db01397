beneath.o: src/sys/beneath.c src/base/banned.h src/sys/beneath.h \
  src/base/err.h src/base/mem.h

src/base/banned.h:

src/sys/beneath.h:

src/base/err.h:

src/base/mem.h:
