/* Models from files, folders and memory. */
#include "small.h"

#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int join_path(char path[PATH_ROOM], const char *folder, const char *name) {
    return snprintf(path, PATH_ROOM, "%s/%s", folder, name) < PATH_ROOM ? 0 : fail("the path of the model is too long");
}

static int is_json(const char *bytes, size_t size) {
    size_t i = 0;
    while (i < size && (bytes[i] == ' ' || bytes[i] == '\n' || bytes[i] == '\r' || bytes[i] == '\t')) i++;
    return i < size && bytes[i] == '{';
}

program_t *load_program(const char *name, const char *bytes, size_t size) {
    program_t *program = is_json(bytes, size) ? program_read_json(bytes, size) : program_read(bytes, size);
    if (!program) put_context("%s: ", name);
    return program;
}

program_t *load_program_file(const char *path) {
    size_t size;
    char *bytes = read_file(path, &size);
    program_t *program = bytes ? load_program(path, bytes, size) : NULL;
    free(bytes);
    return program;
}

int load_parameter_file(program_t *program, const char *path) {
    if (!parameter_count(program)) return 0; /* Paddle writes no file then */
    if (!path || !*path) return fail("the model has parameters, and no file with them was given");
    size_t size;
    void *bytes = read_file(path, &size);
    int status = bytes ? program_read_combined(program, bytes, size) : -1;
    if (status && bytes) put_context("%s: ", path);
    free(bytes);
    return status;
}

int load_parameter_folder(program_t *program, const char *folder) {
    char path[PATH_ROOM];
    if (join_path(path, folder, "__params__")) return -1;
    return access(path, R_OK) ? program_read_folder(program, folder) : load_parameter_file(program, path);
}
