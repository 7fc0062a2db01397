clip.o: src/agent/clip.c src/base/banned.h src/agent/clip.h \
  src/base/mem.h src/base/str.h src/base/untrusted.h

src/base/banned.h:

src/agent/clip.h:

src/base/mem.h:

src/base/str.h:

src/base/untrusted.h:
