# Freezing a task, and the plan that touches nothing.
recorded_task task
t forge new --dry-run task
t ls
t forge new --dir run task
t sh -c 'ls run | sort'
t forge status run
t forge new --dir run task
t forge log run
recorded_task broken 's/^threads/thread/'
t forge new --dir other broken
recorded_task misspelt
sed -i '0,/"low"/s//"lov"/' misspelt/shapes.json
t forge new --dir other misspelt
t forge new --dry-run misspelt
t forge run --dry-run misspelt
t forge new nothere
t forge judge run task/replay/vector.c
