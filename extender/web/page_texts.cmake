# Makes OUT, a C++ source that has the text of every file in FOLDER.
file(GLOB files LIST_DIRECTORIES false ${FOLDER}/*)
list(SORT files)
set(rows "")
foreach(path IN LISTS files)
  get_filename_component(name "${path}" NAME)
  file(READ "${path}" text)
  string(APPEND rows "    {\"${name}\", R\"~page~(${text})~page~\"},\n")
endforeach()
file(WRITE "${OUT}" "#include \"extender/web/page_texts.h\"

namespace gangplan {
namespace {

constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
${rows}};

}  // namespace

std::span<const std::pair<std::string_view, std::string_view>> PageTexts() { return kTexts; }

}  // namespace gangplan
")
