// SPDX-License-Identifier: MIT
#include "outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(const struct outfile *o, int err, struct fail *f)
{
	return fail(f, STATUS_FAILED, "%s %s: %s", o->option, o->path, strerror(err));
}

static void name(struct outfile *o, const char *option, const char *path)
{
	struct stat st;

	*o = (struct outfile){.option = option, .path = path};
	if (!strcmp(path, "-"))
		return;
	snprintf(o->target, sizeof(o->target), "%s", path);
	/* In this order: /dev/stdout may lead to a pipe, which has no real path. */
	if (!stat(path, &st) && (!S_ISREG(st.st_mode) || !realpath(path, o->target)))
		return;
	snprintf(o->beside, sizeof(o->beside), "%s.%d.tmp", o->target, getpid());
}

int outfile_check(const char *option, const char *path, struct fail *f)
{
	struct outfile o;
	struct stat st;

	name(&o, option, path);
	if (!strcmp(path, "-"))
		return 0;
	if (!o.beside[0])
		/* Opening a pipe and closing it again would be its end for the reader. */
		return !stat(path, &st) && S_ISDIR(st.st_mode)
			       ? fail(f, STATUS_FAILED, "%s %s: is a directory", option,
				      path)
			       : 0;
	o.out = fopen(o.beside, "wxe");
	if (!o.out)
		return refuse(&o, errno, f);
	outfile_abort(&o);
	return 0;
}

int outfile_open(struct outfile *o, const char *option, const char *path, struct fail *f)
{
	name(o, option, path);
	if (!strcmp(path, "-"))
		o->out = stdout;
	else if (o->beside[0])
		o->out = fopen(o->beside, "wxe");
	else
		o->out = fopen(path, "we");
	return o->out ? 0 : refuse(o, errno, f);
}

int outfile_commit(struct outfile *o, struct fail *f)
{
	int err = ferror(o->out) ? EIO : 0;

	if (fflush(o->out) && !err)
		err = errno;
	if (o->out != stdout && fclose(o->out) && !err)
		err = errno;
	if (!err && o->beside[0] && rename(o->beside, o->target))
		err = errno;
	if (err && o->beside[0])
		unlink(o->beside);
	return err ? refuse(o, err, f) : 0;
}

void outfile_abort(struct outfile *o)
{
	if (o->out != stdout)
		fclose(o->out);
	if (o->beside[0])
		unlink(o->beside);
}
