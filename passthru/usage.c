// SPDX-License-Identifier: MIT
/* The help text, as it stands on the screen. */
#include "options.h"

// clang-format off
static const char usage[] =
	"ngbench [run] [options] DEVICE...\n"
	"ngbench info [options] DEVICE...\n"
	"ngbench compare [--limit PERCENT] A.json B.json\n"
	"ngbench merge [--json FILE] A.json B.json...\n"
	"ngbench plot R.json -o FILE.svg\n"
	"ngbench restore           put back what a killed run left switched\n"
	"Reads DEVICE as fast as io_uring can, and says what that cost. It never writes.\n"
	"DEVICE is an NVMe generic device (/dev/ng0n1), a block device or file, or\n"
	"/dev/null. The short options are those of fio's t/io_uring. 'info' only prints\n"
	"what such a run would find in force, and what to do about it.\n"
	"\n"
	" -d, --depth N             I/Os in flight per thread [128]\n"
	" -s, --submit-batch N      submit so many at once [32]\n"
	" -c, --complete-batch N    wait for so many at once [32]\n"
	" -b, --block-size BYTES    size of a read; 4k and 1m do [4096]\n"
	" -p, --polled 0|1          poll for completions [1 where the device can]\n"
	" -B, --fixed-buffers 0|1   registered buffers [1]\n"
	" -F, --registered-files 0|1 [1]\n"
	" -X, --registered-ring 0|1 [1; bare: 1]\n"
	" -n, --threads N           devices are dealt out over them [1]\n"
	" -O, --direct 0|1          O_DIRECT, for block devices and files [1]\n"
	" -N 0|1                    1: only no-ops, --engine nop [0]\n"
	" -r, --runtime SECONDS     0: until stopped [0; with --ab 10]\n"
	" -R, --random 0|1          random or sequential reads [1]\n"
	" -t, --percentiles 0|1     1: latencies, as --lat cached [0]\n"
	" -T HZ                     accepted; latencies are in ns in any case\n"
	" -P, --numa 0|1            run each thread near its device [0]\n"
	" -V, --vectored 0|1        one vector per read, without -B1 [0]\n"
	" -u, --passthrough 0|1     NVMe passthrough [what the path is]\n"
	" -H, --huge-file FILE      buffers in this file on hugetlbfs\n"
	"     --sqpoll 0|1          1: a kernel thread per thread submits, and polls [0]\n"
	"     --engine NAME         nvme, block, null or nop [by the path]\n"
	"     --cpus LIST           pin the threads to these CPUs in turn: 2,3 or 0-3;\n"
	"                           auto: CPUs near each device, one of each core first\n"
	"     --lat MODE            off, clock (two clock reads per I/O) or cached\n"
	"                           (libplugclock, one per batch) [off]\n"
	"     --rate IOPS           no faster than this, all threads together\n"
	"     --io-count N          end after N reads in all, exactly\n"
	"     --max-errors N        reads that may fail before the run is invalid [0]\n"
	"     --ab KNOB[=A:B[:C]]   compare two to eight settings in turn, with a 95 %\n"
	"                           interval. What a knob switches is put back. Knobs:\n"
	"       lat=off:clock:cached       how each I/O is stamped\n"
	"       stats=off:on               what charges this path on this kernel:\n"
	"                                  iostats_passthrough, or else iostats\n"
	"       iostats=off:on, iostats_passthrough=off:on   queue/iostats...\n"
	"       wbt=off:on                 writeback throttling; or a latency in us\n"
	"       ktime=off:on               the cached clock of a kernel with kpatch/\n"
	"       sysfs:ATTR=A:B             any attribute in /sys/block/DISK/queue\n"
	"       poll=off:on, fixedbufs=off:on, batch=1:32 (-s and -c), depth=1:128\n"
	"                                  the ring; each slice on a new one\n"
	"       delay=0:50                 ns spun away per I/O: can it be told apart?\n"
	"       none                       A against A: the noise\n"
	"     --rounds N            of --ab, each arm twice in each [20]\n"
	"     --json FILE           the result for programs; - is standard output\n"
	"     --version\n"
	" -h, --help\n"
	"\n"
	"Exit status: 0 good, 1 failed or invalid, 2 usage, 3 not possible here.\n";
// clang-format on

void options_usage(FILE *out)
{
	fputs(usage, out);
}

bool options_answered(const struct options *o, FILE *out)
{
	if (o->help)
		options_usage(out);
	else if (o->version)
		fputs("ngbench " PLUGCLOCK_VERSION "\n", out);
	return o->help || o->version;
}
