# A new task passes the check as it stands.
t forge init my-task
t sh -c 'find my-task -type f | sort'
t forge check my-task
t forge init my-task
t forge init 9lives
t forge check --json --no-run my-task
