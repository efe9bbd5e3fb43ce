/* SPDX-License-Identifier: MIT */
#ifndef NGBENCH_INFO_H
#define NGBENCH_INFO_H

#include "fail.h"

/*
 * info_main() - 'ngbench info': what a run with these arguments would find
 *
 * Takes the options of a run and prints its conditions, with what to do about each
 * that takes something from the result; reads nothing from the devices.
 * Errors:  those that keep a run from starting. Where that is the ring, the
 *          conditions are printed all the same.
 * Returns: 0 or -1 with @f set.
 */
int info_main(int argc, char **argv, struct fail *f);

#endif
