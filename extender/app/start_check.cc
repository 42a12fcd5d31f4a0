#include "extender/app/start_check.h"

#include "extender/app/server_check.h"
#include "extender/app/settings_check.h"
#include "topology/base/clock.h"

namespace gangplan {

StartCheck::StartCheck(const Settings& settings, TransportFactory& transports,
                       std::string_view told)
    : settings_(settings), told_(told), transport_(transports.Make()), thread_([this] { Run(); }) {}

StartCheck::~StartCheck() {
  pause_.Stop();
  {
    MutexLock lock(mutex_);
    while (!over_) {
      transport_->Interrupt();
      ended_.wait_for(mutex_, kInterruptEvery);
    }
  }
  thread_.join();
}

void StartCheck::Run() {
  Findings findings;
  CheckSettings(settings_, findings);
  CheckServer(*transport_, settings_, {}, {&SystemClock(), &pause_, &jitter_}, findings);
  if (!pause_.stopped()) LogFindings(findings, told_);
  MutexLock lock(mutex_);
  over_ = true;
  ended_.notify_all();
}

}  // namespace gangplan
