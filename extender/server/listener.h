// A socket that listens, and the thread that takes connections from it.
//
// Thread rule: Open, Start and Stop from one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"

namespace gangplan {

class Listener {
 public:
  // Connections are completed by the kernel from here on. `port` 0: any free one. Unavailable: the
  // address and port cannot be had.
  static absl::StatusOr<std::unique_ptr<Listener>> Open(const std::string& address, int port);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }
  // `accepted` owns the socket that it is given, and is called on one thread.
  void Start(std::function<void(int socket)> accepted);
  // Listens no more. Safe to call again.
  void Stop();

 private:
  Listener(int socket, int stop) : socket_(socket), stop_(stop) {}
  void Loop();

  int socket_;
  const int stop_;  // readable when all ends
  int port_ = 0;
  std::function<void(int)> accepted_;
  std::thread thread_;
};

}  // namespace gangplan
