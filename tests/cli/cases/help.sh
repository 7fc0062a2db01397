# Help texts, and the man pages say the same: synopsis and options.
plain() { sed -E 's/\\f[BRI]//g; s/\\-/-/g; s/\\&//g' "$1"; }
synopsis() { plain "$1" | sed -n '/^\.SH SYNOPSIS/,/^\.fi/p' | grep '^forge'; }

t forge --version
t forge --help
t forge help check
man=$CLI/../../docs/man
for cmd in init check new run evolve turn submit publish yield wait status report judge time export kernels doctor log mcp mcp-config help; do
	page=$man/forge-$cmd.1
	forge $cmd --help > out || echo "forge $cmd --help exits $?"
	[ "$(sed -n '1s/^usage: //p' out)" = "$(synopsis "$page")" ] || echo "$cmd: SYNOPSIS differs"
	for option in $(grep -oE '^  (-., )?--[a-z-]+' out | grep -oE -e '--[a-z-]+'); do
		plain "$page" | grep -q -e "^\.B .*$option" || echo "$cmd: $option is not in its page"
	done
	for option in $(plain "$page" | grep '^\.B -' | grep -oE -e '--[a-z-]+'); do
		grep -q -e "$option" out || echo "$cmd: $option is in its page only"
	done
	plain "$man/forge.1" | grep -q "forge-$cmd(1)" || echo "$cmd is not in forge(1)"
done
[ "$(forge --help | sed -n '1s/^usage: //p')" = "$(synopsis "$man/forge.1")" ] || echo "forge: SYNOPSIS differs"
forge --help > /dev/full
echo "help into a full device: $?"
