#include "extender/app/page.h"

#include "extender/web/page_files.h"
#include "fmt/format.h"
#include "topology/base/json_text.h"

namespace gangplan {
namespace {

constexpr std::string_view kIndex = "index.html";

PageHandler::Answer NotThere(std::string_view what) {
  return {404, JsonText().Begin().Field("error", what).End().Take(), "application/json", {}};
}

}  // namespace

PageHandler::Answer Page::File(const std::string& name) {
  const PageFile* file = FindPageFile(name.empty() ? kIndex : name);
  if (file == nullptr) return NotThere("the page has no such file");
  return {200, std::string(file->text), std::string(file->type), file->version};
}

PageHandler::Answer Page::Figures(const std::string& name) {
  if (name != "tree" && name != "state") return NotThere("expected tree, state or live");
  const std::shared_ptr<const PublishedPage> latest = feed_.Latest();
  const PageState& state = latest->state();
  if (name == "tree") return {200, latest->tree_json(), "application/json", state.tree};
  return {200, latest->state_json(), "application/json",
          fmt::format("{}-{}", state.tree, state.generation)};
}

}  // namespace gangplan
