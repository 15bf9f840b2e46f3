/* What AddressSanitizer must not believe in a program that holds the system's LLVM, which was not built for it: which
 * parts of its containers and arenas are in use. Linked into every sanitized test and fuzz target. */
const char* __asan_default_options(void);
__attribute__((used, visibility("default"))) const char* __asan_default_options(void) {
  return "allow_user_poisoning=0:detect_container_overflow=0";
}
