# SPDX-License-Identifier: MIT
# What 'make install' lays down, that it fits together, and that programs build with it.

bats_require_minimum_version 1.5.0

root=$BATS_TEST_DIRNAME/../..
strict=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -O2 -D_GNU_SOURCE)

installed='755 usr/bin/ngbench
644 usr/include/plugclock.h
644 usr/include/plugclock_uring.h
644 usr/lib/libplugclock.a
777 usr/lib/libplugclock.so
755 usr/lib/libplugclock.so.0
644 usr/lib/pkgconfig/plugclock.pc
644 usr/share/bash-completion/completions/ngbench.bash
644 usr/share/man/man1/ngbench.1
644 usr/share/man/man3/plugclock.3
644 usr/share/ngbench/result.schema.json'

# Another make's flags are not for these; BUILD is, when the tests are given one.
make_() {
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$root" BUILD="${BUILD:-build}" "$@"
}

setup_file() {
	export COPY=$BATS_FILE_TMPDIR/copy
	make_ all
	make_ install DESTDIR="$COPY" PREFIX=/usr
	export PKG_CONFIG_PATH=$COPY/usr/lib/pkgconfig
	export LD_LIBRARY_PATH=$COPY/usr/lib
	man=$COPY/usr/share/man/man3/plugclock.3
	export man
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# Its flags, by the paths of the copy; liburing's are the system's.
flags() {
	PKG_CONFIG_SYSROOT_DIR=$COPY pkg-config --cflags --libs plugclock
	pkg-config --cflags --libs liburing
}

# The program in the manual.
example() {
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh ERRORS/{/^\.Bd -literal/,/^\.Ed/{/^\.[BE]d/d; s/\\e/\\/g; p}}' "$man"
}

version() {
	sed -n 's/^VERSION *:= *//p' "$root"/Makefile
}

# Numbers apart by dots, the first not greater than the second.
not_newer() {
	[ "$(printf '%s\n' "$1" "$2" | sort -V | tail -n1)" = "$2" ]
}

@test "install lays down exactly the list, with its modes" {
	(cd "$COPY" && find . ! -type d -printf '%m %P\n' | LC_ALL=C sort -k2) >found
	diff <(echo "$installed") found
}

@test "install and uninstall get along with a space in DESTDIR and leave the files of others" {
	local copy="$PWD/a copy"
	make_ install DESTDIR="$copy" PREFIX=/opt/plugclock
	[ -e "$copy/opt/plugclock/share/man/man3/plugclock.3" ]
	[ "$(readlink "$copy/opt/plugclock/lib/libplugclock.so")" = libplugclock.so.0 ]
	touch "$copy/opt/plugclock/include/other.h"
	make_ uninstall DESTDIR="$copy" PREFIX=/opt/plugclock
	[ "$(find "$copy" ! -type d)" = "$copy/opt/plugclock/include/other.h" ]
}

@test "the version in pkg-config, the soname and the map's nodes agree with the Makefile's" {
	local newest node
	[[ $(version) =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
	[ "$(pkg-config --modversion plugclock)" = "$(version)" ]
	readelf -d "$COPY"/usr/lib/libplugclock.so.0 |
		grep -q "SONAME.*\[libplugclock.so.$(version | cut -d. -f1)\]"
	sed -n 's/^PLUGCLOCK_\([0-9.]*\) {$/\1/p' "$root"/lib/plugclock.map >nodes
	sort -V nodes | diff nodes -
	# One node per release that adds something: none of a release to come, or of another soname.
	newest=$(tail -n1 nodes)
	not_newer "$newest" "$(version | cut -d. -f1,2)"
	while read -r node; do
		[ "${node%%.*}" = "$(version | cut -d. -f1)" ]
	done <nodes
	readelf --dyn-syms -W "$COPY"/usr/lib/libplugclock.so.0 |
		sed -n 's/.*@@PLUGCLOCK_//p' | sort -uV | diff nodes -
}

@test "pkg-config asks for nothing beyond the library, and for threads in a static program" {
	[ -z "$(pkg-config --print-requires --print-requires-private plugclock)" ]
	[ "$(pkg-config --libs-only-l plugclock)" = "-lplugclock " ] ||
		[ "$(pkg-config --libs-only-l plugclock)" = -lplugclock ]
	[[ $(pkg-config --static --libs plugclock) = *-pthread* ]]
}

@test "plugclock_uring.h compiles alone as strict C and as strict C++" {
	echo '#include <plugclock_uring.h>' | tee user.c >user.cc
	for compiler in gcc clang; do
		for std in c11 c17 gnu11; do
			"$compiler" -std=$std "${strict[@]}" -I"$COPY"/usr/include -c user.c -o user.o
		done
	done
	for compiler in g++ clang++; do
		for std in c++11 c++17 c++20; do
			"$compiler" -std=$std "${strict[@]}" -Wold-style-cast -I"$COPY"/usr/include \
				-c user.cc -o user.o
		done
	done
}

@test "the example in the manual builds against the installed copy and runs" {
	set -o pipefail
	example >example.c
	# shellcheck disable=SC2046
	gcc -O2 -Wall -Wextra -Werror example.c $(flags) -o example
	readelf -d example | grep -q 'NEEDED.*libplugclock.so.0'
	./example | grep -Ex '[0-9]+ ns, 0 failed'
	./example "$root"/lib/plugclock.h | grep -Ex '[0-9]+ ns, 0 failed'
	for detector in none perf rseq; do
		PLUGCLOCK_DETECTOR=$detector ./example | grep -Ex '[0-9]+ ns, 0 failed'
	done
	run ! ./example /no/such/file
}

@test "the example in the README builds against the installed copy and runs" {
	set -o pipefail
	# shellcheck disable=SC2016 # backquotes of Markdown
	sed -n '/^```c$/,/^```$/{/^```/d; p}' "$root"/README.md >readme.c
	# shellcheck disable=SC2046
	gcc -O2 -Wall -Wextra -Werror readme.c $(PKG_CONFIG_SYSROOT_DIR=$COPY \
		pkg-config --cflags --libs plugclock) -o readme
	./readme | grep -Ex '[0-9]+ ns'
}

@test "a C++ program with the helpers builds against the installed copy and runs" {
	cat >user.cc <<-'END'
		#include <plugclock_uring.h>

		int main()
		{
			plugclock_plug plug;
			io_uring ring;
			io_uring_cqe *cqes[2];
			uint64_t stamp_ns = 0;

			if (io_uring_queue_init(2, &ring, 0) || plugclock_start(&plug, 0))
				return 1;
			io_uring_prep_nop(io_uring_get_sqe(&ring));
			uint64_t issued_ns = plugclock_now_ns();
			if (plugclock_uring_submit_and_wait(&ring, 1) != 1)
				return 2;
			if (plugclock_uring_peek_batch(&ring, cqes, 2, &stamp_ns) != 1)
				return 3;
			io_uring_cq_advance(&ring, 1);
			plugclock_finish(&plug);
			io_uring_queue_exit(&ring);
			return stamp_ns >= issued_ns ? 0 : 4;
		}
	END
	for compiler in g++ clang++; do
		# shellcheck disable=SC2046
		"$compiler" -O2 user.cc $(flags) -o user
		./user
	done
}

@test "the manual formats without a complaint" {
	groff -mdoc -Tutf8 -ww -z "$man" >complaints 2>&1
	[ ! -s complaints ] || { cat complaints; false; }
}

@test "the manual names every function, flag, constant and variable of the headers" {
	{
		sed -n 's/^[a-z].*[ *]\(plugclock_[a-z_]*\)(.*/\1/p; s/^\(plugclock_[a-z_]*\)(.*/\1/p' \
			"$root"/lib/plugclock.h "$root"/lib/plugclock_uring.h
		sed -n 's/^#define \(PLUGCLOCK_[A-Z_]*\) .*/\1/p; s/^	\(PLUGCLOCK_[A-Z_]*\) = .*/\1/p' \
			"$root"/lib/plugclock.h
		echo PLUGCLOCK_DETECTOR
		sed -n '/^struct plugclock_counters {/,/^}/s/^	uint64_t \([a-z]*\);/\1/p' "$root"/lib/plugclock.h
	} | sort -u >declared
	[ "$(wc -l <declared)" -ge 26 ]
	while read -r name; do
		grep -Eq "^\.(Fn|Fo|It Dv|It Ev|It Va) $name( |\$)" "$man" ||
			{ echo "not in the manual: $name"; false; }
		[[ $name != plugclock_* ]] || grep -Eq "^\.Nm $name( ,)?\$" "$man"
	done <declared
}
