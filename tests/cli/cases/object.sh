# A reference that is given compiled, by the name its maker chose: nobody has its source, and it is beaten
# like any other.
cp -R "$CLI/chain" task
rm -rf task/replay-g*
sed 's/hypot_ratio/vendor_hr/' task/reference/kernel.c > vendor.c
rm task/reference/kernel.c
gcc -O2 -fPIC -fcf-protection=none -c -o task/reference/vendor.o vendor.c
sed -i 's#^run = .*#run = "reference/vendor.o"#; s/^build = .*/symbol = "vendor_hr"/; s/max_meta = 1/max_meta = 0/' task/task.toml
t forge check --no-run task | only error
sed -i 's/^source = true/blackbox = true/' task/task.toml
t forge check task | only 'ok:'
t forge run task > out
grep -E '^(round|goal)' out
run=$(sed -n 's/^made run //p' out)
head -c 18 "$run/reference/kernel.c" && echo
# A shared object is linked already.
gcc -O2 -fPIC -shared -o task/reference/vendor.so vendor.c
sed -i 's/vendor.o"/vendor.so"/' task/task.toml
t forge check task 2>&1 | grep -o 'a shared object can not be linked at other addresses' | sort -u
