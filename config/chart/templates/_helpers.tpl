{{- /* What all objects carry, and what the pod is known by. */}}
{{- define "gangplan.labels" -}}
{app.kubernetes.io/name: gangplan, app.kubernetes.io/instance: {{ .Release.Name | toYaml }}}
{{- end }}

{{- /* The cluster's version as kube-scheduler is published: v1.36.3 of v1.36.3-gke.100. */}}
{{- define "gangplan.clusterVersion" -}}
{{- $published := "^v[0-9]+[.][0-9]+[.][0-9]+(-(alpha|beta|rc)[.][0-9]+)?" -}}
{{- regexFind $published .Capabilities.KubeVersion.Version }}
{{- end }}

{{- define "gangplan.wake" -}}
{{- $nominates := semverCompare ">=1.32.0-0" .Capabilities.KubeVersion.Version -}}
{{- .Values.wake | default (ternary "nominate" "annotate" $nominates) }}
{{- end }}

{{- /* What `topology` says, in JSON: a key that is null says nothing. */}}
{{- define "gangplan.topology" -}}
{{- $said := dict -}}
{{- range $key, $value := .Values.topology }}
{{- if not (kindIs "invalid" $value) }}{{ $_ := set $said $key $value }}{{ end }}
{{- end -}}
{{ toJson $said }}
{{- end }}

{{- /* The topologies as the configuration has them, in JSON: files are where the pod mounts them. */}}
{{- define "gangplan.topologies" -}}
{{- $topologies := list -}}
{{- range .Values.topologies }}
{{- $one := deepCopy . }}
{{- if hasKey $one "file" }}{{ $_ := set $one "file" (printf "/etc/gangplan-topologies/%s" $one.name) }}{{ end }}
{{- $topologies = append $topologies $one }}
{{- end -}}
{{- $alone := include "gangplan.topology" . | fromJson -}}
{{ $topologies | default (list (merge $alone (dict "name" "default"))) | toJson }}
{{- end }}

{{- /* Its name, of the one that gangs go by which choose none. */}}
{{- define "gangplan.topologyName" -}}
{{- $topologies := include "gangplan.topologies" . | fromJsonArray -}}
{{- $name := (first $topologies).name -}}
{{- range $topologies }}{{ if .default }}{{ $name = .name }}{{ end }}{{ end -}}
{{ $name }}
{{- end }}

{{- /* What comes from there: "kueue sakkara". */}}
{{- define "gangplan.topologySources" -}}
{{- range include "gangplan.topologies" . | fromJsonArray }}{{ .source }} {{ end -}}
{{- end }}

{{- define "gangplan.treeNamespace" -}}
{{- range include "gangplan.topologies" . | fromJsonArray }}
{{- if eq (toString .source) "sakkara" }}{{ .namespace | default "default" }}{{ end }}
{{- end }}
{{- end }}

{{- /* The files that topologies are read from, in JSON, by name. */}}
{{- define "gangplan.topologyFiles" -}}
{{- $files := dict -}}
{{- range .Values.topologies }}
{{- if hasKey . "file" }}{{ $_ := set $files .name .file }}{{ end }}
{{- end -}}
{{ toJson $files }}
{{- end }}

{{- /* In CEL, whether the annotation `key` of `all` is a word by which pods are of a gang, or one that there is
not: whose pods or owner have one wait, and are told. The others say something of the pods alone, or are
written by Gangplan. */}}
{{- define "gangplan.meansGang" -}}
key.startsWith('gangplan.io/') && !(key in ['gangplan.io/runtime',
'gangplan.io/assigned-rank', 'gangplan.io/assigned-domain', 'gangplan.io/assigned-rung',
'gangplan.io/plan', 'gangplan.io/wake', 'gangplan.io/evicted-for', 'gangplan.io/suspended',
'gangplan.io/pinned', 'gangplan.io/not-before'])
&& !(key == 'gangplan.io/hold' && all[key] == 'false')
{{- end }}

{{- /* Likewise of Kueue's words, which are read on pods and their template. */}}
{{- define "gangplan.meansKueuesGang" -}}
key.startsWith('kueue.x-k8s.io/podset-') && !(key in ['kueue.x-k8s.io/podset-group-name',
'kueue.x-k8s.io/podset-replica-sizes'])
{{- end }}

{{- /* "true" where only some nodes are this release's. */}}
{{- define "gangplan.isOfPairs" -}}
{{- if or .Values.nodes.matchLabels .Values.nodes.matchExpressions }}true{{ end }}
{{- end }}

{{- /* The time that bind may take, which both configurations name. */}}
{{- define "gangplan.bindTimeout" -}}
{{- dig "server" "bindTimeout" "600s" .Values.configuration }}
{{- end }}

{{- define "gangplan.tlsSecret" -}}
{{- .Values.tls.gangplan.secretName | default (printf "%s-tls" .Release.Name) }}
{{- end }}

{{- define "gangplan.schedulerTLSSecret" -}}
{{- .Values.tls.scheduler.secretName | default (printf "%s-scheduler-tls" .Release.Name) }}
{{- end }}

{{- /* The Secrets that the chart makes for TLS between the pair, in JSON, data by name: those that are
there already, else both anew. That is done once a rendering, and kept beside the values. */}}
{{- define "gangplan.madeTLS" -}}
{{- $tls := .Values.tls -}}
{{- if and $tls.enabled (not $tls.gangplan.secretName) (not $tls.made) }}
{{- $names := list (include "gangplan.tlsSecret" .) (include "gangplan.schedulerTLSSecret" .) }}
{{- $made := dict }}
{{- range $names }}
{{- with lookup "v1" "Secret" $.Release.Namespace . }}{{ $_ := set $made .metadata.name .data }}{{ end }}
{{- end }}
{{- if ne (len $made) 2 }}
{{- $root := genCAWithKey (printf "%s-tls" .Release.Name) 3650 (genPrivateKey "ecdsa") }}
{{- $server := genSignedCertWithKey "gangplan" (list "127.0.0.1") nil 3650 $root (genPrivateKey "ecdsa") }}
{{- $client := genSignedCertWithKey $tls.scheduler.commonName nil nil 3650 $root (genPrivateKey "ecdsa") }}
{{- range $i, $one := list $server $client }}
{{- $_ := set $made (index $names $i) (dict "ca.crt" ($root.Cert | b64enc)
      "tls.crt" ($one.Cert | b64enc) "tls.key" ($one.Key | b64enc)) }}
{{- end }}
{{- end }}
{{- $_ := set $tls "made" (toJson $made) }}
{{- end -}}
{{ $tls.made | default "{}" }}
{{- end }}

{{- /* Gangplan's configuration: what the values say, over what is passed through. */}}
{{- define "gangplan.configuration" -}}
{{- $ways := dict "gates" .Values.gates "suspendedJobs" .Values.suspendedJobs
      "admissionChecks" .Values.admissionChecks
      "sakkara" .Values.sakkara "podGroupStatus" .Values.podGroupStatus -}}
{{- $server := dict "probeAddress" "::" -}}
{{- if .Values.api.enabled }}
{{- $_ := set $server "api" (dict "certificateFile" "/etc/gangplan-api/tls.crt" "keyFile" "/etc/gangplan-api/tls.key") }}
{{- end -}}
{{- if .Values.tls.enabled }}
{{- $_ := set $server "tls" (dict "certificateFile" "/etc/gangplan-tls/tls.crt"
      "keyFile" "/etc/gangplan-tls/tls.key" "clientCAFile" "/etc/gangplan-tls/client-ca.crt"
      "allowedNames" (list .Values.tls.scheduler.commonName)) }}
{{- end -}}
{{- $own := dict "server" $server "topologies" (include "gangplan.topologies" . | fromJsonArray)
      "schedulerNames" (list .Values.schedulerName) "groups" $ways
      "queue" .Values.queue "preemption" .Values.preemption "repair" .Values.repair
      "leader" (dict "lease" (printf "%s/%s-scheduler" .Release.Namespace .Release.Name))
      "wake" (include "gangplan.wake" .) -}}
{{- if .Values.reservations }}
{{- $_ := set $own "reservations" (dict "namespace" .Release.Namespace) }}
{{- end -}}
{{- if .Values.rankLists.namespaces }}
{{- $_ := set $own "rankLists" .Values.rankLists }}
{{- end -}}
{{- if .Values.provisioning.class }}
{{- $_ := set $own "provisioning" .Values.provisioning }}
{{- end -}}
{{- if include "gangplan.isOfPairs" . }}
{{- $_ := set $own "nodes" .Values.nodes }}
{{- end -}}
apiVersion: gangplan.io/v1alpha1
kind: ExtenderConfiguration
{{ toYaml (mergeOverwrite (deepCopy .Values.configuration) $own) }}
{{- end }}

{{- /* Two entries for one extender, because a time-out holds for all verbs of an entry: the quick
ones give up after 2 s, bind may be held until a group is whole. */}}
{{- define "gangplan.schedulerConfiguration" -}}
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
{{- if eq (include "gangplan.wake" .) "annotate" }}
percentageOfNodesToScore: 100 # nobody points it to the planned node, so it has to offer all
{{- end }}
leaderElection:
  leaderElect: true
  resourceName: {{ .Release.Name }}-scheduler
  resourceNamespace: {{ .Release.Namespace | toYaml }}
profiles:
- schedulerName: {{ .Values.schedulerName | toYaml }}
  {{- $requirements := list }}
  {{- range $key, $value := .Values.nodes.matchLabels }}
  {{- $requirements = append $requirements (dict "key" $key "operator" "In" "values" (list $value)) }}
  {{- end }}
  {{- with concat $requirements (.Values.nodes.matchExpressions | default list) }}
  pluginConfig:
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms:
          - matchExpressions: {{ toJson . }}
  {{- end }}
extenders:
- {{ include "gangplan.extenderAddress" . | indent 2 | trim }}
  filterVerb: filter
  preemptVerb: preempt
  nodeCacheCapable: true
  httpTimeout: 2s
- {{ include "gangplan.extenderAddress" . | indent 2 | trim }}
  bindVerb: bind
  nodeCacheCapable: true
  httpTimeout: {{ include "gangplan.bindTimeout" . }}
{{- end }}

{{- define "gangplan.extenderAddress" -}}
urlPrefix: {{ ternary "https" "http" .Values.tls.enabled }}://127.0.0.1:10290/v1/extender
{{- if .Values.tls.enabled }}
enableHTTPS: true
tlsConfig:
  caFile: /etc/scheduler-tls/ca.crt
  certFile: /etc/scheduler-tls/tls.crt
  keyFile: /etc/scheduler-tls/tls.key
{{- end }}
{{- end }}

{{- define "gangplan.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsUser: 65532
capabilities: {drop: [ALL]}
{{- end }}

{{- /* MutatingAdmissionPolicy is a beta before 1.36, and not there before 1.34. */}}
{{- define "gangplan.policyVersion" -}}
{{- if semverCompare "<1.34.0-0" .Capabilities.KubeVersion.Version }}
{{- fail "admissionPolicies: Kubernetes 1.34 or later is needed" }}
{{- end }}
{{- $stable := semverCompare ">=1.36.0-0" .Capabilities.KubeVersion.Version -}}
admissionregistration.k8s.io/{{ ternary "v1" "v1beta1" $stable }}
{{- end }}
