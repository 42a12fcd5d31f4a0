{{- /* What Gangplan itself would refuse at its start, when the pod before it has ended already. */}}

{{- /* Topologies that contradict each other, or themselves. */}}
{{- define "gangplan.checkTopologies" -}}
{{- $names := list }}
{{- $once := dict }}
{{- range $i, $one := .Values.topologies }}
{{- $key := printf "topologies[%d]" $i }}
{{- if has $one.name $names }}
{{- fail (printf "%s.name: %q names another one already" $key $one.name) }}
{{- end }}
{{- $names = append $names $one.name }}
{{- $nodes := $one.nodes | default dict }}
{{- $all := not (or $nodes.matchLabels $nodes.matchExpressions $one.file) }}
{{- range $what, $is := dict
      "default: one default expected" $one.default
      "nodes: one topology at most expected without a selector, for the nodes of no other" $all
      "source: one topology at most expected from sakkara" (eq (toString $one.source) "sakkara") }}
{{- if and $is (hasKey $once $what) }}
{{- fail (printf "%s.%s, and %s is" $key $what (get $once $what)) }}
{{- end }}
{{- if $is }}{{ $_ := set $once $what $key }}{{ end }}
{{- end }}
{{- include "gangplan.checkLevels" (list $key $one) }}
{{- include "gangplan.checkNodes" (list (printf "%s.nodes" $key) $nodes) }}
{{- end }}
{{- include "gangplan.checkLevels" (list "topology" (include "gangplan.topology" . | fromJson)) }}
{{- include "gangplan.checkNodes" (list "nodes" .Values.nodes) }}
{{- end }}

{{- /* Its name and levels, of a topology and where it stands. */}}
{{- define "gangplan.checkLevels" -}}
{{- $key := first . }}
{{- $topology := last . }}
{{- $name := toString $topology.name }}
{{- if and (eq (toString $topology.source) "kueue") $topology.name (not (regexMatch "^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$" $name)) }}
{{- fail (printf "%s.name: with source kueue the name of a Topology object expected, got %q" $key $name) }}
{{- end }}
{{- $words := list }}
{{- range $i, $level := $topology.levels }}
{{- range list $level.name $level.label | uniq }}
{{- if has . $words }}
{{- fail (printf "%s.levels[%d]: %q stands for another level already" $key $i .) }}
{{- end }}
{{- end }}
{{- $words = concat $words (list $level.name $level.label) }}
{{- if and (eq $level.label "kubernetes.io/hostname") (lt (add1 $i) (len $topology.levels)) }}
{{- fail (printf "%s.levels[%d]: kubernetes.io/hostname can only be the last level" $key $i) }}
{{- end }}
{{- end }}
{{- end }}

{{- /* Of a selector and where it stands. */}}
{{- define "gangplan.checkNodes" -}}
{{- $nodes := last . }}
{{- $labels := $nodes.matchLabels | default dict }}
{{- $expressions := $nodes.matchExpressions | default list }}
{{- if gt (add (len $labels) (len $expressions)) 16 }}
{{- fail (printf "%s: at most 16 requirements expected" (first .)) }}
{{- end }}
{{- end }}

{{- /* A duration as a text that sorts as it is long. */}}
{{- define "gangplan.clock" -}}
{{- toDate "2006-01-02" "2000-01-01" | mustDateModify . | date "2006-01-02 15:04:05.000000000" }}
{{- end }}

{{- define "gangplan.checkTimes" -}}
{{- $least := include "gangplan.clock" "10s" }}
{{- $most := include "gangplan.clock" "24h" }}
{{- range $key, $time := dict
      "configuration.server.bindTimeout" (dig "server" "bindTimeout" "" .Values.configuration)
      "configuration.gang.gatherTimeout" (dig "gang" "gatherTimeout" "" .Values.configuration)
      "configuration.gang.readyTimeout" (dig "gang" "readyTimeout" "" .Values.configuration)
      "configuration.groups.admissionCheckPatience" (dig "groups" "admissionCheckPatience" "" .Values.configuration)
      "configuration.groups.admissionCheckRejectAfter" (dig "groups" "admissionCheckRejectAfter" "" .Values.configuration)
      "repair.after" .Values.repair.after "repair.timeout" .Values.repair.timeout
      "repair.readyTimeout" .Values.repair.readyTimeout "provisioning.after" .Values.provisioning.after
      "provisioning.backOff" .Values.provisioning.backOff "provisioning.maxBackOff" .Values.provisioning.maxBackOff }}
{{- $clock := include "gangplan.clock" ($time | default "1m") }}
{{- if gt $clock $most }}{{ fail (printf "%s: at most 24h expected, got %s" $key $time) }}{{ end }}
{{- if and (hasSuffix "bindTimeout" $key) (lt $clock $least) }}
{{- fail (printf "%s: at least 10s expected, got %s" $key $time) }}
{{- end }}
{{- end }}
{{- with .Values.provisioning }}
{{- if lt (include "gangplan.clock" (.maxBackOff | default "30m")) (include "gangplan.clock" (.backOff | default "1m")) }}
{{- fail "provisioning.maxBackOff: not less than backOff expected" }}
{{- end }}
{{- end }}
{{- end }}
