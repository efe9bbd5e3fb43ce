// SPDX-License-Identifier: MIT
#include "saved.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "jsonfile.h"

typedef struct json_object json;

int saved_open(struct saved *s, const char *path, struct fail *f)
{
	*s = (struct saved){.path = path, .root = jsonfile_read(path, f)};
	if (f->status)
		return -1;
	result_init(&s->result);
	if (!saved_read(s->root, path, &s->result, f))
		return 0;
	saved_close(s);
	return -1;
}

const char *saved_host(const struct saved *s, char buf[24])
{
	json *host;

	json_object_object_get_ex(s->root, "host", &host);
	if (json_object_is_type(host, json_type_string))
		return json_object_get_string(host);
	snprintf(buf, 24, "%u hosts", saved_hosts(s));
	return saved_hosts(s) ? buf : "unknown";
}

const char *saved_condition(const struct saved *s, const char *name)
{
	json *o, *effective;

	json_object_object_get_ex(s->root, "conditions", &o);
	if (!json_object_object_get_ex(o, name, &o) ||
	    !json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, "effective", &effective))
		return "unknown";
	return json_object_is_type(effective, json_type_string)
		       ? json_object_get_string(effective)
		       : "unknown";
}

unsigned int saved_threads(const struct saved *s)
{
	json *o;

	json_object_object_get_ex(s->root, "options", &o);
	return json_object_object_get_ex(o, "threads", &o) && json_object_get_int64(o) > 0
		       ? (unsigned int)json_object_get_int(o)
		       : 1;
}

bool saved_touches_block(const struct saved *s)
{
	struct fail unknown = {0};
	const struct engine *engine =
		engine_by_name(saved_condition(s, "engine"), &unknown);

	return engine && engine->touches_block;
}

unsigned int saved_hosts(const struct saved *s)
{
	json *hosts;

	json_object_object_get_ex(s->root, "hosts", &hosts);
	return json_object_is_type(hosts, json_type_array)
		       ? (unsigned int)json_object_array_length(hosts)
		       : 0;
}

unsigned int saved_percentiles(const struct saved *s, unsigned int arm,
			       struct saved_percentile *list, unsigned int max)
{
	unsigned int n = 0;
	json *o;

	json_object_object_get_ex(s->root, "arms", &o);
	if (!json_object_object_get_ex(json_object_array_get_idx(o, arm), "latency",
				       &o) ||
	    !json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, "percentiles_ns", &o) ||
	    !json_object_is_type(o, json_type_object))
		return 0;
	json_object_object_foreach(o, name, value)
	{
		struct saved_percentile p = {strtod(name, NULL),
					     json_object_get_double(value)};

		if (n < max && p.percent > 0 && p.percent < 100 && p.ns > 0 &&
		    isfinite(p.ns))
			list[n++] = p;
	}
	return n;
}

void saved_close(struct saved *s)
{
	result_done(&s->result);
	json_object_put(s->root);
	memset(s, 0, sizeof(*s));
}
