// Values of a document by their paths, and the lines where they stand. Pure; any thread.
#pragma once

#include <initializer_list>
#include <string_view>

#include "topology/base/yaml_tree.h"

namespace gangplan {

// By keys of maps inside one another; null: there is none.
const YamlNode* FindPath(const YamlNode* node, std::initializer_list<std::string_view> keys);
// Its text; empty: there is none.
std::string_view TextAt(const YamlNode* node, std::initializer_list<std::string_view> keys);

// "spec.template", "spec.containers[0].resources": keys with '.' in them, too; a key may stand in
// brackets. Null: there is none.
const YamlNode* FindAt(const YamlNode& document, std::string_view path);
// Of the last part of the path that is there.
int LineOf(const YamlNode& document, std::string_view path);

}  // namespace gangplan
