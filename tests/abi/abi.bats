# SPDX-License-Identifier: MIT
# What programs that use the library see of it: symbols, header, installed files.

bats_require_minimum_version 1.5.0

root=$BATS_TEST_DIRNAME/../..
shared=$root/build/libplugclock.so.0
strict=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -O2)

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	cat >user.c <<-'END'
		#include <plugclock.h>

		int main(void)
		{
			struct plugclock_plug plug;
			uint64_t first_ns, second_ns;

			if (plugclock_start(&plug, 0))
				return 100;
			first_ns = plugclock_now_ns();
			second_ns = plugclock_read_ns();
			plugclock_flush();
			plugclock_finish(&plug);
			if (second_ns < first_ns || plugclock_now_ns() < second_ns)
				return 101;
			return plugclock_detector() == PLUGCLOCK_DETECTOR_NONE ? 0 : 1;
		}
	END
	cp user.c user.cc
}

# The program's answer: whether it found a detector. More than 1 is a failure of its own.
answers() {
	status=0
	"$@" || status=$?
	[ "$status" -le 1 ]
}

# What 'make' built with its default PREFIX, installed under another.
setup_file() {
	unset MAKEFLAGS MAKELEVEL
	export COPY=$BATS_FILE_TMPDIR/copy
	make -s -C "$BATS_TEST_DIRNAME/../.." all
	make -s -C "$BATS_TEST_DIRNAME/../.." install DESTDIR="$COPY" PREFIX=/usr
	export PKG_CONFIG_PATH=$COPY/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$COPY
	export LD_LIBRARY_PATH=$COPY/usr/lib
}

@test "the shared library exports what its map lists, and nothing else" {
	sed -n '/global:/,/local:/s/^[[:space:]]*\(plugclock_[a-z_]*\);$/\1/p' \
		"$root"/lib/plugclock.map | sort >listed
	nm -D --defined-only "$shared" | sed -n 's/.* [A-Z] \([a-z].*\)@@.*/\1/p' | sort >exported
	[ "$(wc -l <listed)" -ge 7 ]
	diff listed exported
}

@test "every function of the header is exported" {
	sed -n 's/^[a-z].*[ *]\(plugclock_[a-z_]*\)(.*/\1/p' "$root"/lib/plugclock.h | sort -u >declared
	[ "$(wc -l <declared)" -ge 6 ]
	nm -D --defined-only "$shared" | sed -n 's/.* T \(.*\)@@.*/\1/p' | sort >exported
	diff declared exported
}

@test "the shared library is named by its major version and stays loaded" {
	readelf -d "$shared" | grep -q 'SONAME.*\[libplugclock.so.0\]'
	readelf -d "$shared" | grep -q NODELETE
}

@test "the static library defines nothing outside its name space" {
	run ! bash -c "nm -g --defined-only '$root'/build/libplugclock.a | grep ' [A-Z] ' | grep -v ' plugclock_'"
}

@test "the header compiles alone as strict C" {
	for compiler in gcc clang; do
		for std in c11 c17 gnu11; do
			"$compiler" -std=$std "${strict[@]}" -I"$root"/lib -c user.c -o user.o
		done
	done
}

@test "the header compiles alone as strict C++" {
	for compiler in g++ clang++; do
		for std in c++11 c++17 c++20; do
			"$compiler" -std=$std "${strict[@]}" -Wold-style-cast -I"$root"/lib -c user.cc -o user.o
		done
	done
}

@test "a program builds and runs against the installed copy, in C and in C++" {
	for language in "gcc user.c" "g++ user.cc"; do
		# shellcheck disable=SC2046,SC2086
		$language -O2 $(pkg-config --cflags --libs plugclock) -o user
		readelf -d user | grep -q 'NEEDED.*libplugclock.so.0'
		answers ./user
	done
}

@test "a program without optimisation links, too" {
	# shellcheck disable=SC2046
	gcc -O0 user.c $(pkg-config --cflags --libs plugclock) -o user
	answers ./user
}

@test "a wholly static program builds and runs" {
	# shellcheck disable=SC2046
	gcc -O2 -static user.c $(pkg-config --static --cflags --libs plugclock) -o user
	answers ./user
}

@test "pkg-config states the prefix and the version that were installed" {
	[ "$(PKG_CONFIG_SYSROOT_DIR="" pkg-config --variable=prefix plugclock)" = /usr ]
	[ "$(pkg-config --modversion plugclock)" = "$(sed -n 's/^VERSION *:= *//p' "$root"/Makefile)" ]
}

@test "uninstall takes everything away that install laid down" {
	make -s -C "$root" install DESTDIR="$PWD/copy" PREFIX=/usr
	[ -e copy/usr/include/plugclock.h ]
	make -s -C "$root" uninstall DESTDIR="$PWD/copy" PREFIX=/usr
	[ -z "$(find copy ! -type d)" ]
}

@test "the library survives being loaded and unloaded inside an open plug" {
	cat >loader.c <<-'END'
		#include <dlfcn.h>
		#include <stddef.h>
		#include <time.h>

		int main(void)
		{
			const struct timespec moment = {0, 1000000};
			long plug[16];
			int (*start)(void *, unsigned int);
			unsigned long (*now_ns)(void);
			void *library;
			int i;

			for (i = 0; i < 20; i++) {
				library = dlopen("libplugclock.so.0", RTLD_NOW);
				if (!library)
					return 100;
				start = (int (*)(void *, unsigned int))dlsym(library, "plugclock_start");
				now_ns = (unsigned long (*)(void))dlsym(library, "plugclock_now_ns");
				if (!start || !now_ns || start(plug, 0) || !now_ns())
					return 101;
				dlclose(library);
				nanosleep(&moment, NULL);
			}
			return 0;
		}
	END
	gcc -O2 loader.c -o loader -ldl
	./loader
}

@test "with musl it builds, and says that nothing is detected" {
	musl-gcc -std=gnu11 -D_GNU_SOURCE -O2 -I"$root"/lib "$root"/lib/*.c user.c -o user
	answers ./user
	[ "$status" -eq 0 ]
}

# many.c answers like user.c, after many readings on the source that its argument numbers;
# 50 if the system lacks that source.
write_many() {
	cat >many.c <<-'END'
		#include <errno.h>
		#include <plugclock.h>
		#include <stdlib.h>

		int main(int argc, char **argv)
		{
			struct plugclock_counters counters;
			struct plugclock_plug plug;
			uint64_t now_ns, last_ns = 0;
			int i, ret;

			ret = plugclock_use_source((enum plugclock_source)atoi(argv[argc - 1]));
			if (ret)
				return ret == -ENOTSUP ? 50 : 100;
			for (i = 0; i < 100000; i++) {
				if (i % 10 == 0)
					plugclock_start(&plug, i % 20 ? 0 : PLUGCLOCK_TRUST_CALLER);
				now_ns = plugclock_now_ns();
				if (now_ns < last_ns)
					return 101;
				last_ns = now_ns;
				if (i % 10 == 8)
					plugclock_finish(&plug);
			}
			if (plugclock_get_counters(&counters, sizeof(counters)) || !counters.readings)
				return 102;
			return plugclock_detector() == PLUGCLOCK_DETECTOR_NONE ? 0 : 1;
		}
	END
}

# many [EMULATOR...]: every source works but the TSC, which may
many() {
	local source
	for source in 0 1 2; do
		answers "$@" ./many $source
	done
	status=0
	"$@" ./many 3 || status=$?
	[ "$status" -le 1 ] || [ "$status" -eq 50 ]
}

@test "on every source time never runs backwards, or the source is refused" {
	write_many
	# shellcheck disable=SC2046
	gcc -O2 many.c $(pkg-config --cflags --libs plugclock) -o many
	many
}

@test "on aarch64 it builds without a warning, runs, and refuses the TSC" {
	write_many
	for how in -static -pthread; do
		aarch64-linux-gnu-gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wshadow -Werror $how \
			-I"$root"/lib "$root"/lib/*.c many.c -o many
		file=$(readelf -h many)
		[[ $file = *AArch64* ]]
		many qemu-aarch64-static -L /usr/aarch64-linux-gnu
		[ "$status" -eq 50 ]
	done
}

@test "on an architecture that it does not know it builds, and says that nothing is detected" {
	write_many
	# The emulator has no perf events, so that the architecture's own means are all there is.
	aarch64-linux-gnu-gcc -U__aarch64__ -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -static \
		-I"$root"/lib "$root"/lib/*.c many.c -o many
	many qemu-aarch64-static
	[ "$status" -eq 50 ]
	run -0 qemu-aarch64-static ./many 0
}
