// SPDX-License-Identifier: MIT
/*
 * format - formats a namespace as it is, through one controller of a drive
 *
 *	format CONTROLLER NSID
 */
#include <errno.h>
#include <fcntl.h>
#include <libnvme.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct nvme_format_nvm_args args = {
		.args_size = sizeof(args),
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
	};
	int ret;

	if (argc != 3) {
		fputs("usage: format CONTROLLER NSID\n", stderr);
		return 2;
	}
	args.fd = open(argv[1], O_RDWR | O_CLOEXEC);
	if (args.fd < 0) {
		perror(argv[1]);
		return 1;
	}
	args.nsid = (uint32_t)strtoul(argv[2], NULL, 10);
	ret = nvme_format_nvm(&args);
	if (ret)
		fprintf(stderr, "format: %s\n",
			ret > 0 ? nvme_status_to_string(ret, false) : strerror(errno));
	return ret ? 1 : 0;
}
