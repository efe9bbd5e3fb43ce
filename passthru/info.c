// SPDX-License-Identifier: MIT
#include "info.h"

#include <string.h>

#include "report.h"

int info_main(int argc, char **argv, struct fail *f)
{
	static struct options o;
	struct conditions cs = {0};
	struct fail later = {0}; /* a file that cannot be written is the lesser news */
	struct crew *crew;
	struct session s;

	if (options_parse(&o, argc, argv, f))
		return -1;
	if (options_answered(&o, stdout))
		return 0;
	if (session_open(&s, &o, f))
		return -1;
	crew = crew_open(&o, s.engine, s.devices, f);
	conditions_collect(&cs, &s, crew);
	crew_close(crew);
	if (!o.json_path || strcmp(o.json_path, "-"))
		report_conditions(stdout, &cs);
	if (o.json_path && report_json_conditions(o.json_path, &cs, &later))
		(void)fail(f, later.status, "%s", later.why);
	conditions_done(&cs);
	session_close(&s);
	return f->status ? -1 : 0;
}
