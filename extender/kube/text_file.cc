#include "extender/kube/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "topology/base/text.h"

namespace gangplan {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

absl::Status FileError(const std::string& path, int error) {
  const auto code = error == ENOENT   ? absl::StatusCode::kNotFound
                    : error == EACCES ? absl::StatusCode::kPermissionDenied
                                      : absl::StatusCode::kUnavailable;
  return absl::Status(code, ToAbsl(fmt::format("{}: {}", path, std::strerror(error))));
}

absl::StatusOr<std::string> ReadAll(std::FILE* file, const std::string& name, size_t max_bytes) {
  std::string text;
  char buffer[1 << 16];
  while (const size_t got = std::fread(buffer, 1, sizeof buffer, file)) {
    if (text.size() + got > max_bytes) {
      return absl::ResourceExhaustedError(
          ToAbsl(fmt::format("{}: larger than {} bytes", name, max_bytes)));
    }
    text.append(buffer, got);
  }
  if (std::ferror(file)) return FileError(name, errno);
  return text;
}

}  // namespace

absl::StatusOr<std::string> ReadStandardInput(size_t max_bytes) {
  return ReadAll(stdin, "standard input", max_bytes);
}

absl::StatusOr<std::string> ReadTextFile(const std::string& path, size_t max_bytes) {
  // A pipe is opened without waiting for its writer, to be refused.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return FileError(path, errno);
  const std::unique_ptr<std::FILE, Closer> file(::fdopen(descriptor, "rb"));
  struct stat kind = {};
  if (::fstat(descriptor, &kind) != 0) return FileError(path, errno);
  if (S_ISDIR(kind.st_mode)) return FileError(path, EISDIR);
  if (!S_ISREG(kind.st_mode)) {
    return absl::UnavailableError(
        ToAbsl(path + ": it is a pipe, a socket or a device; expected a file"));
  }
  return ReadAll(file.get(), path, max_bytes);
}

}  // namespace gangplan
