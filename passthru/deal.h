/* SPDX-License-Identifier: MIT */
/*
 * Which thread reads which device, as t/io_uring deals them out
 */
#ifndef NGBENCH_DEAL_H
#define NGBENCH_DEAL_H

#include <stdbool.h>

#include "device.h"
#include "engine.h"
#include "options.h"

/*
 * deal_targets() - the targets of thread @thread
 *
 * With T threads and F devices: every device gets T / F threads, at least one,
 * and the first T % F devices one more; threads are taken in turn.
 * @reads_device: false for engines that read nothing; they get devices[0].
 * @targets holds as many as there are devices.
 * Returns: how many were set, at least 1.
 */
unsigned int deal_targets(struct target *targets, const struct device *devices,
			  const struct options *o, unsigned int thread,
			  bool reads_device);

/*
 * deal_cpu_near() - the @nth CPU of the device's node, wrapping around
 *
 * Returns: a CPU number, or -1 where the node is unknown.
 */
int deal_cpu_near(const struct device *d, unsigned int nth);

/*
 * deal_cpu_auto() - the CPU for thread @nth: near the device, cores before siblings
 *
 * Of the CPUs that this process may run on those of the device's node, or all of
 * them where its node is unknown or none of its CPUs is allowed; wraps around.
 * Returns: a CPU number, or -1 where the allowed CPUs cannot be had.
 */
int deal_cpu_auto(const struct device *d, unsigned int nth);

#endif
