# SPDX-License-Identifier: MIT
# Plugclock: user-space clock (lib/), benchmark (passthru/), tests. 'make help' lists the targets.

SHELL    := /bin/bash
VERSION  := 0.1.0
SOVERSION := 0

PREFIX   ?= /usr/local
DESTDIR  ?=
CC       ?= gcc
CFLAGS   ?= -O2 -g
CXXFLAGS ?= -O2 -g
BUILD    ?= build
SAN      ?=
V        ?= 0

# The C++ compiler that goes with CC: one sanitizer runtime.
ifeq ($(origin CXX),default)
CXX      := $(if $(findstring clang,$(CC)),clang++,g++)
endif

WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
PKGS     := liburing libnvme json-c gsl
# Recursive on purpose: 'deps' may install these packages in the same run of make.
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS))
PKG_LIBS   = $(shell pkg-config --libs $(PKGS))
# Without -Werror, since gcc warns of more where it puts in checks.
# No null checks: gcc's, of a thread-local variable's address, branches on the flags of an
# 'add x@gottpoff', and ld makes that a lea, which sets none. AddressSanitizer sees NULL, too.
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize=null -fno-omit-frame-pointer -fno-sanitize-recover=all -Wno-error)
BASE     := -std=gnu11 -pthread -D_GNU_SOURCE -DPLUGCLOCK_VERSION='"$(VERSION)"' -Ilib $(WARN) $(SANFLAGS)
BASEXX   := -std=c++17 -pthread -Wall -Wextra -Wshadow -Werror $(SANFLAGS)
COMPILE   = $(CC) $(BASE) -MMD -MP $(1) $(CFLAGS) -c -o $@ $<
COMPILEXX = $(CXX) $(BASEXX) -MMD -MP $(shell pkg-config --cflags benchmark) $(CXXFLAGS) -c -o $@ $<
LINKER    = $(CC)
LINK      = $(LINKER) -pthread $(SANFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^)

LIB_SRC  := $(wildcard lib/*.c)
NG_SRC   := $(wildcard passthru/*.c)
# bench/bare.c is a program of its own, the others are plugclock-bench.
BENCH_SRC := $(filter-out bench/bare.c,$(wildcard bench/*.c))
TEST_SRC := $(wildcard tests/unit/test_*.c)
# They need signals at an exact point, and ThreadSanitizer puts signals off.
ifeq ($(SAN),thread)
TEST_SRC := $(filter-out %/test_plug_step.c %/test_uring_flags.c,$(TEST_SRC))
endif
GUEST_SRC := $(wildcard tests/guest/*.c)
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
NG_OBJ   := $(NG_SRC:%.c=$(BUILD)/%.o)
BENCH_OBJ := $(BENCH_SRC:%.c=$(BUILD)/%.o) $(BUILD)/bench/gbench.o
BARE     := $(BUILD)/bench/bare
BENCH    := $(BUILD)/plugclock-bench
EMPTY    := $(BUILD)/tests/bench/empty
# In guests, and in QEMU itself.
KBENCH_BIN := $(BUILD)/bench/kernel/lockstep $(BUILD)/bench/kernel/switches
QEMU_PLUGIN := $(BUILD)/bench/kernel/instructions.so
TEST_BIN := $(TEST_SRC:tests/unit/%.c=$(BUILD)/tests/%)
GUEST_BIN := $(GUEST_SRC:%.c=$(BUILD)/%)
OBJ      := $(LIB_OBJ) $(NG_OBJ) $(BENCH_OBJ) $(BARE).o $(EMPTY).o $(EMPTY)_cxx.o $(KBENCH_BIN:%=%.o) $(TEST_BIN:%=%.o) $(GUEST_BIN:%=%.o)
LIBS     := $(BUILD)/libplugclock.a $(BUILD)/libplugclock.so.$(SOVERSION)
NG_LIB   := $(BUILD)/libngbench.a

# What 'install' lays down and 'uninstall' takes away: source:folder under PREFIX:mode
INSTALL  := $(BUILD)/ngbench:bin:755 passthru/ngbench.1:share/man/man1:644 \
	passthru/ngbench.bash:share/bash-completion/completions:644 \
	passthru/result.schema.json:share/ngbench:644 lib/plugclock.h:include:644 \
	lib/plugclock_uring.h:include:644 lib/plugclock.3:share/man/man3:644 \
	$(BUILD)/libplugclock.a:lib:644 $(BUILD)/libplugclock.so.$(SOVERSION):lib:755 \
	$(BUILD)/plugclock.pc:lib/pkgconfig:644

Q        := $(if $(filter 1,$(V)),,@)
say       = $(if $(filter 1,$(V)),,@printf '  %-6s %s\n' $(1) $@)

.DELETE_ON_ERROR:
.SECONDARY: $(OBJ)
.PHONY: all deps demo check check-long check-kernel kpatch-check bench bench-kernel bench-seeds lint asan tsan unit install uninstall clean help

all: $(LIBS) $(BUILD)/libplugclock.so $(BUILD)/plugclock.pc $(BUILD)/ngbench

# These goals install what is missing before anything is compiled.
ifneq ($(filter demo check check-long check-kernel bench bench-kernel bench-seeds lint asan tsan deps,$(MAKECMDGOALS)),)
$(OBJ): | deps
endif
deps:
	$(Q)tests/deps $(if $(filter check-kernel check-long bench-kernel,$(MAKECMDGOALS)),kernel,$(if \
		$(filter-out demo,$(MAKECMDGOALS)),check,build))

$(BUILD)/lib/%.o: lib/%.c Makefile
	$(call say,CC)
	$(Q)mkdir -p $(@D) && $(call COMPILE,-fPIC)

$(BUILD)/passthru/%.o: passthru/%.c Makefile
	$(call say,CC)
	$(Q)mkdir -p $(@D) && $(call COMPILE,$(PKG_CFLAGS))

$(BUILD)/bench/%.o: bench/%.c Makefile
	$(call say,CC)
	$(Q)mkdir -p $(@D) && $(call COMPILE,-Ipassthru $(PKG_CFLAGS) $(shell pkg-config --cflags libuv))

$(BUILD)/bench/%.o: bench/%.cc Makefile
	$(call say,CXX)
	$(Q)mkdir -p $(@D) && $(COMPILEXX)

$(BUILD)/tests/bench/%.o: tests/bench/%.c Makefile
	$(call say,CC)
	$(Q)mkdir -p $(@D) && $(call COMPILE)

$(BUILD)/tests/bench/%.o: tests/bench/%.cc Makefile
	$(call say,CXX)
	$(Q)mkdir -p $(@D) && $(COMPILEXX)

$(BUILD)/tests/%.o: tests/unit/%.c Makefile
	$(call say,CC)
	$(Q)mkdir -p $(@D) && $(call COMPILE,-Ipassthru $(PKG_CFLAGS))

$(BUILD)/tests/guest/%.o: tests/guest/%.c Makefile
	$(call say,CC)
	$(Q)mkdir -p $(@D) && $(call COMPILE,$(PKG_CFLAGS))

$(BUILD)/libplugclock.a: $(LIB_OBJ)
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/libplugclock.so.$(SOVERSION): $(LIB_OBJ) lib/plugclock.map
	$(call say,LINK)
	$(Q)$(LINK) -shared -Wl,-soname,$(@F) -Wl,--version-script=lib/plugclock.map \
		-Wl,--no-undefined-version -Wl,-z,defs -Wl,-z,nodelete

$(BUILD)/libplugclock.so: $(BUILD)/libplugclock.so.$(SOVERSION)
	$(Q)ln -sf $(<F) $@

# Phony: 'make install' may come with another PREFIX than 'make' did.
.PHONY: $(BUILD)/plugclock.pc
$(BUILD)/plugclock.pc: lib/plugclock.pc.in
	$(Q)mkdir -p $(@D) && sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' $< >$@

$(NG_LIB): $(filter-out %/main.o,$(NG_OBJ))
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/ngbench: $(BUILD)/passthru/main.o $(NG_LIB) $(BUILD)/libplugclock.a
	$(call say,LINK)
	$(Q)$(LINK) $(PKG_LIBS)

# libuv is one of the clocks that bench/clock.c compares with, and nothing else.
$(BENCH): LINKER = $(CXX)
$(BENCH): $(BENCH_OBJ) $(NG_LIB) $(BUILD)/libplugclock.a
	$(call say,LINK)
	$(Q)$(LINK) $(PKG_LIBS) $(shell pkg-config --libs benchmark libuv)

$(EMPTY): LINKER = $(CXX)
$(EMPTY): $(EMPTY).o $(EMPTY)_cxx.o $(BUILD)/bench/gbench.o
	$(call say,LINK)
	$(Q)$(LINK) $(shell pkg-config --libs benchmark)

$(BARE) $(KBENCH_BIN): %: %.o $(NG_LIB) $(BUILD)/libplugclock.a
	$(call say,LINK)
	$(Q)$(LINK) $(PKG_LIBS)

$(QEMU_PLUGIN): bench/kernel/instructions.c $(wildcard bench/kernel/*.h) Makefile
	$(call say,PLUGIN)
	$(Q)mkdir -p $(@D) && $(CC) $(BASE) -fPIC -shared $(CFLAGS) $(LDFLAGS) -o $@ $<

$(TEST_BIN): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(NG_LIB) $(BUILD)/libplugclock.a
	$(call say,LINK)
	$(Q)$(LINK) $(PKG_LIBS) -lcmocka

# gbench.h, which is C++ inside.
GBENCH_TEST := $(filter $(BUILD)/tests/test_gbench%,$(TEST_BIN))
$(GBENCH_TEST): LINKER = $(CXX)
$(GBENCH_TEST): PKGS += benchmark
$(GBENCH_TEST): $(BUILD)/bench/gbench.o

$(GUEST_BIN): %: %.o $(BUILD)/libplugclock.a
	$(call say,LINK)
	$(Q)$(LINK) $(PKG_LIBS)

demo: all $(GUEST_BIN)
	$(Q)tests/demo

check: all $(BENCH) $(EMPTY) $(TEST_BIN) $(GUEST_BIN) $(KBENCH_BIN) $(QEMU_PLUGIN)
	$(Q)tests/run $(BUILD)/tests tests/abi tests/cli tests/meta tests/guest

check-long: all $(TEST_BIN) $(GUEST_BIN)
	$(Q)PLUGCLOCK_STRESS=1000000 tests/run $(BUILD)/tests/test_stress tests/cli/long tests/guest/long tests/meta/mutants \
		tests/kernel/long tests/kunit/mutants

# Kernels, as tests/kernel/build names them, and the tests in guests. They are built first, one
# by one, since tests say nothing until they end.
KERNELS  ?= um-6.1 um-6.1-preempt um-6.12 um-6.12-preempt um-7.3 um-7.3-preempt guest-6.1 guest-7.3
KERNEL_TESTS ?= tests/kernel
check-kernel: all $(GUEST_BIN) $(KBENCH_BIN) $(QEMU_PLUGIN)
	$(Q)for kernel in $(KERNELS); do tests/kernel/build $$kernel >/dev/null || exit; done
	$(Q)KUNIT_KERNELS='$(filter um-%,$(KERNELS))' tests/run tests/kunit/run $(KERNEL_TESTS)

unit: $(TEST_BIN)
	$(Q)tests/run $(BUILD)/tests

asan:
	$(Q)$(MAKE) BUILD=$(BUILD)/asan SAN=address,undefined unit

tsan:
	$(Q)$(MAKE) BUILD=$(BUILD)/tsan SAN=thread unit

bench: all $(BENCH) $(BARE) $(EMPTY)
	$(Q)bench/run

bench-kernel: all $(KBENCH_BIN) $(QEMU_PLUGIN)
	$(Q)bench/kernel/run

lint: deps
	$(Q)CFLAGS_LINT='$(subst ','\'',$(BASE) $(PKG_CFLAGS))' tests/run tests/lint

# A conflict (1) outweighs a source that cannot be had (3).
kpatch-check: deps
	$(Q)worst=0; for series in 6.1 6.12 7.3; do \
		{ tree=$$(tests/kernel/fetch-source $$series) && kpatch/check "$$tree"; } || \
		{ status=$$?; [ $$worst -eq 1 ] || worst=$$status; }; done; exit $$worst

bench-seeds: all $(BENCH)
	$(Q)bench/seeds

install: all
	$(Q)set -e; for f in $(INSTALL); do IFS=: read -r src dir mode <<<"$$f"; \
		install -D -m $$mode "$$src" "$(DESTDIR)$(PREFIX)/$$dir/$${src##*/}"; done
	$(Q)ln -sf libplugclock.so.$(SOVERSION) "$(DESTDIR)$(PREFIX)/lib/libplugclock.so"

uninstall:
	$(Q)for f in $(INSTALL); do IFS=: read -r src dir mode <<<"$$f"; \
		rm -f "$(DESTDIR)$(PREFIX)/$$dir/$${src##*/}"; done
	$(Q)rm -f "$(DESTDIR)$(PREFIX)/lib/libplugclock.so"

clean:
	rm -rf $(BUILD)

help:
	@echo 'make               the library and ngbench, in $(BUILD)/'
	@echo 'make demo          installs what is missing, builds, shows what statistics cost (two tables)'
	@echo 'make check         every test that needs no kernel build'
	@echo 'make check-kernel  the kernel series: KUnit and guests, with kernels built for that: an hour the first time'
	@echo 'make check-long    a million forced switches, faults put into the library, and kernels with'
	@echo '                   their own checks: hours the first time'
	@echo 'make kpatch-check  which of the kernel patches apply to Debian'\''s sources, fetched for that'
	@echo 'make asan, tsan    the unit tests under AddressSanitizer+UBSan, ThreadSanitizer'
	@echo 'make bench         the speed budgets, measured in turn on this machine'
	@echo 'make bench-kernel  what the kernel series gives: instructions, clock reads, ns per I/O'
	@echo 'make bench-seeds   the figures of the posts that this grew out of, beside our own'
	@echo 'make lint          formatter, compilers, static analysers'
	@echo 'make install       DESTDIR=$(DESTDIR) PREFIX=$(PREFIX); uninstall takes the same files away'
	@echo 'make deps          installs the packages (Debian, as root) or lists them'
	@echo 'V=1 shows commands; CC, CFLAGS, LDFLAGS are yours'

-include $(OBJ:.o=.d)
