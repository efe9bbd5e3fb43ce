/* SPDX-License-Identifier: MIT */
/* worker_test.h - what the tests of worker.c and crew.c share */
#ifndef WORKER_TEST_H
#define WORKER_TEST_H

#include "ng_test.h"

#include "engine.h"
#include "options.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static inline void skip_without_io_uring(void)
{
	struct io_uring_params p = {.flags = IORING_SETUP_SQE128 | IORING_SETUP_CQE32};
	int fd = io_uring_setup(2, &p);

	if (fd < 0) {
		printf("# skipped: io_uring_setup: %s\n", strerror(-fd));
		fflush(stdout);
		skip();
	}
	close(fd);
}

/* As the command line would set them, for a queue of @depth. */
static inline struct options options_of(unsigned int depth)
{
	return (struct options){
		.depth = depth,
		.submit_batch = depth < 4 ? depth : 4,
		.complete_batch = depth < 4 ? depth : 4,
		.block_bytes = 4096,
		.threads = 1,
		.polled = CHOICE_OFF,
		.registered_files = true,
		.registered_ring = true,
		.fixed_buffers = true,
		.random = true,
		.nr_devices = 1,
	};
}

/* Devices by hand: a session refuses one device under two names. */
static inline struct device null_device(const char *path)
{
	return (struct device){
		.path = path,
		.kind = DEVICE_NULL,
		.fd = open("/dev/null", O_RDONLY | O_CLOEXEC),
		.format = {.nsid = 1, .nsze = 8000, .lba_bytes = 512},
		.range = {.positions = 1000, .nlb = 8, .data_bytes = 4096},
		.numa_node = -1,
		.io_poll = -1,
	};
}

/* Descriptors that are open, to see that none is left. */
static inline int open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

#endif
