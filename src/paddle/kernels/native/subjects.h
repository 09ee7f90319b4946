/* Every subject file exports one table, PyMethodDef <subject>_methods[], ended by {0}; list it here. */
SUBJECT(gemm)
SUBJECT(conv)
SUBJECT(pool)
SUBJECT(dropout)
SUBJECT(elementwise)
SUBJECT(optim)
SUBJECT(reduce)
SUBJECT(softmax)
