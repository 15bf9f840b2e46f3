/* What the two files of c_test share. */
#ifndef LATTICE_C_TEST_H
#define LATTICE_C_TEST_H

#include <stdio.h>
#include <stdlib.h>

#include "lattice/lattice.h"

extern int failures;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      ++failures;                                                                                  \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                              \
    }                                                                                              \
  } while (0)

/* For what the rest of a test needs. */
#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                              \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

/* One case of the conformance set, read from its directory. */
void test_case(const char* directory);

#endif
