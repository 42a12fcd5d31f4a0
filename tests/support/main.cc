#ifdef GANGPLAN_CATCH3
#include "catch2/catch_session.hpp"
int main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
#else
#define CATCH_CONFIG_MAIN
#include "catch2/catch.hpp"
#endif

#ifdef __SANITIZE_THREAD__
// The HTTP library comes uninstrumented: the sanitizer does not see how its function-local statics
// are guarded and takes their memory for unguarded. Only what the library itself calls is let off.
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libcpp-httplib.so\n";
}
#endif
