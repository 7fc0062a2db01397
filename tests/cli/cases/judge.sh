# One kernel by hand: right, wrong, refused, broken.
recorded_task task
t forge judge task task/replay/vector.c
t forge judge task task/replay/wrong.c
sed 's/-O3/-O3 -fplugin=x/' task/replay/vector.c > flag.c
t forge judge task flag.c
sed 's/hypot_ratio/other/' task/replay/vector.c > noentry.c
t forge judge task noentry.c
echo 'int' > torn.c
t forge judge task torn.c | only 'judge|pass|fail|exit'
forge judge --json task task/replay/vector.c > out || echo "exit $?"
only '^\{"cases":\[\{.*"passed":9,"verdict":\{.*"state":"pass"\},"version":1\}$' < out | cut -c 1-10
