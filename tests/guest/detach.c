// SPDX-License-Identifier: MIT
/*
 * detach - takes a namespace away from the first controller of a drive, as an
 * administrator does; the drive tells the kernel, which removes its devices
 *
 *	detach CONTROLLER NSID
 */
#include <errno.h>
#include <fcntl.h>
#include <libnvme.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct nvme_ctrl_list list;
	uint16_t first = 0;
	int fd, ret;

	if (argc != 3) {
		fputs("usage: detach CONTROLLER NSID\n", stderr);
		return 2;
	}
	fd = open(argv[1], O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	nvme_init_ctrl_list(&list, 1, &first);
	ret = nvme_ns_detach_ctrls(fd, (uint32_t)strtoul(argv[2], NULL, 10), &list);
	if (ret)
		fprintf(stderr, "detach: %s\n",
			ret > 0 ? nvme_status_to_string(ret, false) : strerror(errno));
	return ret ? 1 : 0;
}
