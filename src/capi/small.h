/* Included first where no loop goes over elements: code that reads, plans and hands out work is made small rather than quick. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("Os")
#endif
