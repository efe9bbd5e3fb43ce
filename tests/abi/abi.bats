# SPDX-License-Identifier: MIT
# What programs that use the library see of it: symbols, header, installed files.

bats_require_minimum_version 1.5.0

root=$BATS_TEST_DIRNAME/../..
shared=$root/build/libplugclock.so.0
strict=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -O2)

setup() {
	cd "$BATS_TEST_TMPDIR"
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
