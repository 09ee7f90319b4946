/* Reading programs of Paddle 3: what pir.c (by the table of operators) and pir_regions.c (operations of another form) share. */
#ifndef DYGRAPH_PIR_H
#define DYGRAPH_PIR_H

#include "json.h"
#include "program.h"

/* What a number stands for besides a variable: a list of values, or a constant. */
typedef struct note {
    long long number;
    const json_t *constant; /* a number, or a list of attributes */
    int count, *vars;
    struct note *next;
} note_t;

typedef struct {
    program_t *program;
    note_t *notes;
    int feeds, room, block; /* block: the one being read; room: for its operators */
    int names;              /* how many variables of our own there are */
} reader_t;

note_t *find_note(const reader_t *r, long long number);
note_t *add_note(reader_t *r, long long number);
int var_of(reader_t *r, long long number); /* the variable of a number */
long long number_of(const json_t *value);
int set_type(reader_t *r, int var, const json_t *type);
int make_attr(program_t *program, attr_t *attr, const char *name, const json_t *value);
const json_t *attr_of(const json_t *op, const char *name);
op_t *new_op(reader_t *r, const char *type, int ins, int attrs, int outs); /* of the block being read; NULL with a message */
int set_slot(program_t *program, slot_t *slot, const char *name, int count, const int *vars);
int read_by_table(reader_t *r, const json_t *source, const char *name);

#endif
