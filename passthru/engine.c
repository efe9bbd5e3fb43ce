// SPDX-License-Identifier: MIT
#include "engine.h"

#include <string.h>

static const struct engine *const engines[] = {
	&engine_nvme,
	&engine_block,
	&engine_null,
	&engine_nop,
};

const struct engine *engine_by_name(const char *name, struct fail *f)
{
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (!strcmp(engines[i]->name, name))
			return engines[i];
	fail(f, STATUS_USAGE, "--engine %s: must be nvme, block, null or nop", name);
	return NULL;
}

const struct engine *engine_for(enum device_kind kind)
{
	switch (kind) {
	case DEVICE_NG:
		return &engine_nvme;
	case DEVICE_NULL:
		return &engine_null;
	case DEVICE_PRETEND:
		return &engine_nop;
	default:
		return &engine_block;
	}
}
