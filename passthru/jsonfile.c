// SPDX-License-Identifier: MIT
#include "jsonfile.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A day of seconds, eight arms, and more; a file beyond that is something else. */
#define MAX_BYTES (64ul << 20)

/* All of a file, with a NUL behind it. */
static char *slurp(const char *path, size_t *size, struct fail *f)
{
	FILE *in = fopen(path, "re");
	char *text = NULL;
	size_t room = 0, n = 0;

	if (!in) {
		fail(f, STATUS_USAGE, "%s: %s", path, strerror(errno));
		return NULL;
	}
	do {
		if (n + 1 >= room) {
			char *more = realloc(text, room ? 2 * room : 65536);

			if (!more) {
				fail(f, STATUS_FAILED, "out of memory");
				goto free;
			}
			room = room ? 2 * room : 65536;
			text = more;
		}
		n += fread(text + n, 1, room - n - 1, in);
	} while (!feof(in) && !ferror(in) && n < MAX_BYTES);
	if (ferror(in))
		fail(f, STATUS_USAGE, "%s: %s", path, strerror(errno));
	else if (!feof(in))
		fail(f, STATUS_FAILED, "%s: not a result of ngbench: above %lu MiB", path,
		     MAX_BYTES >> 20);
	if (!f->status) {
		text[n] = 0;
		*size = n;
		fclose(in);
		return text;
	}
free:
	free(text);
	fclose(in);
	return NULL;
}

struct json_object *jsonfile_read(const char *path, struct fail *f)
{
	struct json_tokener *tok;
	enum json_tokener_error err;
	struct json_object *root = NULL;
	size_t size, end;
	char *text = slurp(path, &size, f);

	if (!text)
		return NULL;
	tok = json_tokener_new();
	if (!tok) {
		free(text);
		fail(f, STATUS_FAILED, "out of memory");
		return NULL;
	}
	root = json_tokener_parse_ex(tok, text, (int)size);
	err = json_tokener_get_error(tok);
	end = json_tokener_get_parse_end(tok);
	if (err == json_tokener_continue)
		fail(f, STATUS_FAILED, "%s: %s", path,
		     size ? "ends in the middle: it was not written or copied whole"
			  : "is empty");
	else if (err != json_tokener_success)
		fail(f, STATUS_FAILED, "%s: is not JSON: %s at byte %zu", path,
		     json_tokener_error_desc(err), end);
	else if (text[end + strspn(text + end, " \t\r\n")] || strlen(text) != size)
		fail(f, STATUS_FAILED, "%s: has more than one JSON value, see byte %zu",
		     path, end);
	json_tokener_free(tok);
	free(text);
	if (!f->status)
		return root;
	json_object_put(root);
	return NULL;
}
