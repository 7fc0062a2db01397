# Every wrong use exits 64 and shows how it is meant; trouble with files exits 1.
t forge
t forge stauts x
t forge frobnicate
t forge --jsno
t forge -C
t forge -C nowhere status x
t forge check
t forge check --no-rnu x
t forge judge task
t forge judge a b c
t forge new --dir
t forge time -k 3 a b c
t forge time -k many a b c
t forge log --explain -1 x
t forge help frob
t forge run nowhere
t forge status nowhere
mkdir empty
t forge status empty
t forge report empty
t forge log empty
t forge run empty
recorded_task task
t forge status task
t forge judge task nowhere.c
t forge time task nowhere.c nowhere.c
t forge run --ratio 1.0 task
