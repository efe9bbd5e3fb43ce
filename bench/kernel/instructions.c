// SPDX-License-Identifier: MIT
/*
 * TCG plugin of QEMU: the kernel's instructions in marked stretches of a guest's run
 *
 *   -plugin instructions.so,out=PREFIX[,from=ADDRESS]   with -smp 1 and nokaslr
 *
 * from: instructions below that address are not counted; by default the kernel's are,
 * and with 0 those of user programs, too, whichever they are.
 *
 * Every kernel instruction that is translated gets a counter, by its address; a user
 * program says by markers (marker.h) when to count and what is one sample. Whatever
 * disturbs a sample (an interrupt, a completion that comes late and is polled for again,
 * what is done once per jiffy) adds instructions, and not always the same. So samples are
 * sorted by their number of instructions, and the smallest number that one in LEAST_SHARE
 * of them have is the result: it repeats within 0.02 %, however busy the host is.
 * At each MARKER_WRITE it goes to PREFIX.1, PREFIX.2, ...: a line "samples ALL AGREE" (how
 * many there were, how many have that number) and "ADDRESS COUNT", summed over those AGREE.
 * Symbols come later (bench/kernel/sum), from the kernel's map or /proc/kallsyms.
 * Context: one vCPU thread; the counters are plain memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marker.h"
#include "qemu_plugin.h"

#define KERNEL_START 0xffff800000000000ull
#define CHUNK        8192u /* counters, which never move: translated code points to them */
#define MAX_CHUNKS   256u
#define LEAST_SHARE  20u /* and at least 3 */
#define HASH_SIZE    ((size_t)4 * CHUNK * MAX_CHUNKS)

static struct chunk {
	uint64_t address[CHUNK];
	uint64_t now[CHUNK];    /* since MARKER_START; the guest's code counts here */
	uint64_t sample[CHUNK]; /* since MARKER_BATCH */
} * chunks[MAX_CHUNKS];
static uint32_t nr_counters;
static uint32_t *hash; /* number of the counter + 1, 0: free */

/*
 * Samples of one size. The first is not summed: most of the odd sizes come once, and
 * would take their memory for nothing.
 */
static struct group {
	uint64_t instructions, samples;
	uint64_t *sums; /* by counter, over samples - 1 of them */
	uint32_t nr_sums;
} * groups;
static size_t nr_groups, room;
static uint64_t nr_samples;
static unsigned int nr_results;
static const char *prefix;
static uint64_t from = KERNEL_START;

static void die(const char *what)
{
	fprintf(stderr, "instructions: %s\n", what);
	exit(1);
}

static void *must(void *memory)
{
	if (!memory)
		die("out of memory");
	return memory;
}

/* The counter of an address, a new one where there is none yet. */
static uint64_t *counter_of(uint64_t address)
{
	uint32_t at = (uint32_t)((address * 0x9e3779b97f4a7c15ull) >> 32) % HASH_SIZE;
	struct chunk *chunk;

	for (; hash[at]; at = (at + 1) % HASH_SIZE) {
		chunk = chunks[(hash[at] - 1) / CHUNK];
		if (chunk->address[(hash[at] - 1) % CHUNK] == address)
			return &chunk->now[(hash[at] - 1) % CHUNK];
	}
	if (nr_counters == CHUNK * MAX_CHUNKS)
		die("more instructions than counters");
	if (nr_counters % CHUNK == 0)
		chunks[nr_counters / CHUNK] = must(calloc(1, sizeof(struct chunk)));
	chunk = chunks[nr_counters / CHUNK];
	chunk->address[nr_counters % CHUNK] = address;
	hash[at] = ++nr_counters;
	return &chunk->now[(nr_counters - 1) % CHUNK];
}

static void start(void)
{
	for (uint32_t c = 0; c * CHUNK < nr_counters; c++)
		memset(chunks[c]->now, 0, sizeof(chunks[c]->now));
}

/* Add what was counted to the sample. */
static void stop(void)
{
	for (uint32_t i = 0; i < nr_counters; i++)
		chunks[i / CHUNK]->sample[i % CHUNK] += chunks[i / CHUNK]->now[i % CHUNK];
	start();
}

static struct group *group_of(uint64_t instructions)
{
	for (size_t i = 0; i < nr_groups; i++)
		if (groups[i].instructions == instructions)
			return &groups[i];
	if (nr_groups == room) {
		room = 2 * room + 64;
		groups = must(realloc(groups, room * sizeof(*groups)));
	}
	groups[nr_groups] = (struct group){.instructions = instructions};
	return &groups[nr_groups++];
}

static void end_sample(void)
{
	uint64_t instructions = 0;
	struct group *group;

	for (uint32_t i = 0; i < nr_counters; i++)
		instructions += chunks[i / CHUNK]->sample[i % CHUNK];
	group = group_of(instructions);
	nr_samples++;
	if (group->samples++) {
		if (group->nr_sums < nr_counters) {
			group->sums = must(
				realloc(group->sums, nr_counters * sizeof(*group->sums)));
			memset(group->sums + group->nr_sums, 0,
			       (nr_counters - group->nr_sums) * sizeof(*group->sums));
			group->nr_sums = nr_counters;
		}
		for (uint32_t i = 0; i < nr_counters; i++)
			group->sums[i] += chunks[i / CHUNK]->sample[i % CHUNK];
	}
	for (uint32_t c = 0; c * CHUNK < nr_counters; c++)
		memset(chunks[c]->sample, 0, sizeof(chunks[c]->sample));
}

static void write_result(void)
{
	const struct group *least = NULL;
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s.%u", prefix, ++nr_results);
	out = fopen(path, "we");
	if (!out)
		die(path);
	for (size_t i = 0; i < nr_groups; i++)
		if (groups[i].samples >= 3 &&
		    groups[i].samples * LEAST_SHARE >= nr_samples &&
		    (!least || groups[i].instructions < least->instructions))
			least = &groups[i];
	if (least) {
		fprintf(out, "samples %" PRIu64 " %" PRIu64 "\n", nr_samples,
			least->samples - 1);
		for (uint32_t i = 0; i < least->nr_sums; i++)
			if (least->sums[i])
				fprintf(out, "%016" PRIx64 " %" PRIu64 "\n",
					chunks[i / CHUNK]->address[i % CHUNK],
					least->sums[i]);
	}
	if (fclose(out))
		die(path);
	for (size_t i = 0; i < nr_groups; i++)
		free(groups[i].sums);
	nr_groups = 0;
	nr_samples = 0;
}

static void on_marker(unsigned int vcpu, void *data)
{
	(void)vcpu;
	switch ((enum marker)(uintptr_t)data) {
	case MARKER_START:
		start();
		break;
	case MARKER_STOP:
		stop();
		break;
	case MARKER_BATCH:
		end_sample();
		break;
	case MARKER_WRITE:
		write_result();
		break;
	}
}

/* Which marker an instruction is, 0 for none. */
static uintptr_t marker_at(const struct qemu_plugin_insn *insn)
{
	const unsigned char *code = qemu_plugin_insn_data(insn);
	uint32_t value;

	if (qemu_plugin_insn_size(insn) != MARKER_BYTES || code[0] != 0x0f ||
	    code[1] != 0x1f || code[2] != 0x80)
		return 0;
	memcpy(&value, code + 3, sizeof(value));
	return (value & ~0xffu) == MARKER_MAGIC ? value & 0xffu : 0;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		uintptr_t marker;

		if (address >= from)
			qemu_plugin_register_vcpu_insn_exec_inline(
				insn, QEMU_PLUGIN_INLINE_ADD_U64, counter_of(address), 1);
		marker = address < KERNEL_START ? marker_at(insn) : 0;
		if (marker)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, on_marker, QEMU_PLUGIN_CB_NO_REGS, (void *)marker);
	}
}

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			prefix = must(strdup(argv[i] + 4));
		else if (!strncmp(argv[i], "from=", 5))
			from = strtoull(argv[i] + 5, NULL, 0);
	if (!prefix || !info->system_emulation || info->system.smp_vcpus != 1) {
		fprintf(stderr, "instructions: needs out=PREFIX and one processor\n");
		return -1;
	}
	hash = must(calloc(HASH_SIZE, sizeof(*hash)));
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
