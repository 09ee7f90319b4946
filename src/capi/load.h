/* Models from files, folders and memory. Each function that fails leaves a message. */
#ifndef DYGRAPH_LOAD_H
#define DYGRAPH_LOAD_H

#include "program.h"

enum { PATH_ROOM = 4096 };
int join_path(char path[PATH_ROOM], const char *folder, const char *name); /* 0, or -1: too long */

program_t *load_program(const char *name, const char *bytes, size_t size); /* of either form; `name` stands in messages */
program_t *load_program_file(const char *path);
int load_parameter_file(program_t *program, const char *path);      /* all of them in one file; none is needed if there are none */
int load_parameter_folder(program_t *program, const char *folder);  /* __params__, or a file for each */

#endif
