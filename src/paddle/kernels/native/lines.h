/* Comparisons, logic, bits and arithmetic of whole numbers: functions of two arrays that are repeated to one shape. */
#ifndef PADDLE_NATIVE_LINES_H
#define PADDLE_NATIVE_LINES_H

#include "common.h"

/* Rules in groups: arithmetic of whole numbers, bits of them, comparisons, logic (0 is false, all else true), tests of floats, and parts of
 * complex numbers: the conjugate, and (a, b) behind each other. Those whose names end in NOT, tests and CONJ are of a alone. Results of
 * EQUAL to FINITE are bytes, 0 or 1. */
#define LINE_RULES(X)                                                                                                          \
    X(ADD, add) X(SUB, sub) X(MUL, mul) X(LARGER, max) X(SMALLER, min) X(DIV, div) X(MOD, mod) X(FLOORDIV, floordiv) X(POW, pow)      \
    X(BIT_AND, bitwise_and) X(BIT_OR, bitwise_or) X(BIT_XOR, bitwise_xor) X(BIT_NOT, bitwise_not)                              \
    X(EQUAL, equal) X(NOT_EQUAL, not_equal) X(LESS, less_than) X(LESS_EQUAL, less_equal) X(GREATER, greater_than)              \
    X(GREATER_EQUAL, greater_equal) X(AND, logical_and) X(OR, logical_or) X(XOR, logical_xor) X(NOT, logical_not)              \
    X(NAN, isnan) X(INF, isinf) X(FINITE, isfinite) X(CONJ, conj) X(PAIR, complex)
#define LINE_RULE(name, text) LINE_##name,
enum line_rule { LINE_RULES(LINE_RULE) LINE_RULE_COUNT };
#undef LINE_RULE

enum line_kind { LINE_BOOL, LINE_I8, LINE_U8, LINE_I16, LINE_I32, LINE_I64, LINE_F32, LINE_F64, LINE_KINDS };

enum { LINE_AXES = 32 };

typedef struct {
    int rule, kind; /* of both operands */
    index_t item;   /* bytes of an element: 1, 2, 4, 8 or (CONJ) 16 */
    int ndim;
    index_t dims[LINE_AXES], a_step[LINE_AXES], b_step[LINE_AXES]; /* steps in bytes; 0 repeats; along the last axis item or 0 */
    const void *a, *b; /* b may be left out in functions of one operand */
    void *y;     /* one element after the other */
    int refused; /* is there a divisor 0 (whose results are 0), or a negative exponent? */
    int loop, swapped, flag; /* set by lines_run */
} lines_t;

/* Is there such a function of this kind of elements? Of complex numbers those of their parts. */
int lines_known(int rule, int kind);

static inline int lines_of_one(int rule) { return rule == LINE_BIT_NOT || (rule >= LINE_NOT && rule < LINE_PAIR); }

static inline index_t lines_result(int rule, index_t item) { return rule >= LINE_EQUAL && rule <= LINE_FINITE ? 1 : rule == LINE_PAIR ? 2 * item : item; }

void lines_run(lines_t *t);

/* Is any element (or are all) other than 0 along the axes `outer` and `inner` of x [outer, kept, inner]? */
typedef struct {
    int any, kind;
    index_t item, outer, kept, inner;
    const void *x;
    uint8_t *y; /* [kept] */
} truth_t;

void truth_run(truth_t *t);

#endif
