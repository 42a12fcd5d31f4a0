{{- /* Gangplan's rights in parts: what each lets it do. What it does without stands in docs/rights.md. */}}

{{- /* The parts that the values need. */}}
{{- define "gangplan.parts" -}}
{{- $parts := list "core" "owners" "jobsets" "kubeflow" "ray" "pod-groups" -}}
{{- $parts = append $parts (ternary "nominations" "wakes" (eq (include "gangplan.wake" .) "nominate")) -}}
{{- range $part, $wanted := dict "gates" (ne .Values.gates "none")
      "preemption" (or (ne .Values.preemption "never") (eq .Values.repair.onFailure "restart")
          (regexMatch "[1-9]" .Values.repair.readyTimeout)
          (regexMatch "[1-9]" (dig "gang" "readyTimeout" "" .Values.configuration)))
      "repair" (regexMatch "[1-9]" .Values.repair.after)
      "pod-group-status" (ne .Values.podGroupStatus "never") "suspend" .Values.suspendedJobs
      "suspend-jobsets" .Values.suspendedJobs
      "admission" (or .Values.suspendedJobs .Values.admissionChecks)
      "admission-checks" .Values.admissionChecks "sakkara" .Values.sakkara
      "provisioning" (ne .Values.provisioning.class "")
      "kueue" (has "kueue" (splitList " " (include "gangplan.topologySources" .)))
      "kueue-workloads" (has "kueue" (splitList " " (include "gangplan.topologySources" .))) "api" .Values.api.enabled -}}
{{- if $wanted }}{{ $parts = append $parts $part }}{{ end -}}
{{- end -}}
{{ join " " $parts }}
{{- end }}

{{- define "gangplan.rights.core" }}
# See the cluster, and whether a Binding in doubt was written.
- apiGroups: [""]
  resources: [nodes]
  verbs: [list, watch]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch]
# Bind a member to its planned node.
- apiGroups: [""]
  resources: [pods/binding]
  verbs: [create]
# Say why a group waits.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create]
{{- end }}

{{- define "gangplan.rights.owners" }}
# Read a group's size from its owner, and a Job before it is suspended again.
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get]
- apiGroups: [apps]
  resources: [statefulsets, replicasets]
  verbs: [get]
{{- end }}

{{- define "gangplan.rights.jobsets" }}
# Likewise of a JobSet.
- apiGroups: [jobset.x-k8s.io]
  resources: [jobsets]
  verbs: [get]
{{- end }}

{{- define "gangplan.rights.kubeflow" }}
# Likewise of Kubeflow's jobs.
- apiGroups: [kubeflow.org]
  resources: [pytorchjobs, tfjobs, xgboostjobs, paddlejobs, jaxjobs, mpijobs]
  verbs: [get]
{{- end }}

{{- define "gangplan.rights.ray" }}
# Likewise of a RayCluster.
- apiGroups: [ray.io]
  resources: [rayclusters]
  verbs: [get]
{{- end }}

{{- define "gangplan.rights.pod-groups" }}
# Likewise of a PodGroup of coscheduling, of Koordinator, of Volcano, of kube-scheduler's own.
- apiGroups: [scheduling.x-k8s.io, scheduling.sigs.k8s.io, scheduling.volcano.sh, scheduling.k8s.io]
  resources: [podgroups]
  verbs: [get]
{{- end }}

{{- define "gangplan.rights.pod-group-status" }}
# Say in its status how many of its pods there are, where nobody else does.
- apiGroups: [scheduling.x-k8s.io]
  resources: [podgroups/status]
  verbs: [patch]
{{- end }}

{{- define "gangplan.rights.nominations" }}
# Nominate a member to its planned node.
- apiGroups: [""]
  resources: [pods/status]
  verbs: [patch]
{{- end }}

{{- define "gangplan.rights.wakes" }}
# Wake a rejected member by an annotation, where the server is too old for a nomination.
- apiGroups: [""]
  resources: [pods]
  verbs: [patch]
{{- end }}

{{- define "gangplan.rights.gates" }}
# Release a pod from its gate, with its nodes.
- apiGroups: [""]
  resources: [pods]
  verbs: [patch]
# Evict one that was released to nodes which have no room for it any more, where a controller makes
# it anew.
- apiGroups: [""]
  resources: [pods/eviction]
  verbs: [create]
{{- end }}

{{- define "gangplan.rights.preemption" }}
# Mark the pods of a gang that gives way or starts anew, and evict them.
- apiGroups: [""]
  resources: [pods]
  verbs: [patch]
- apiGroups: [""]
  resources: [pods/eviction]
  verbs: [create]
# See whether disruption budgets allow that all of it goes.
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [list]
# What a disruption budget keeps of a gang of which others have gone already.
- apiGroups: [""]
  resources: [pods]
  verbs: [delete]
{{- end }}

{{- define "gangplan.rights.repair" }}
# Evict the pods of gangs on nodes that have failed, and delete those that a budget is against.
- apiGroups: [""]
  resources: [pods/eviction]
  verbs: [create]
- apiGroups: [""]
  resources: [pods]
  verbs: [delete]
{{- end }}

{{- define "gangplan.rights.suspend" }}
# Find the Jobs that wait suspended, start them, and suspend one again; those of a JobSet, too. Of a
# Job that ran before, the start time in its status is taken away.
- apiGroups: [batch]
  resources: [jobs]
  verbs: [list, watch, patch]
- apiGroups: [batch]
  resources: [jobs/status]
  verbs: [patch]
{{- end }}

{{- define "gangplan.rights.admission" }}
# What pods of owners that wait without pods will ask for, where they may go, and who goes first.
- apiGroups: [""]
  resources: [limitranges]
  verbs: [list, watch]
- apiGroups: [node.k8s.io]
  resources: [runtimeclasses]
  verbs: [list, watch]
- apiGroups: [scheduling.k8s.io]
  resources: [priorityclasses]
  verbs: [list, watch]
{{- end }}

{{- define "gangplan.rights.admission-checks" }}
# Answer Kueue's admission checks of ours, by what has quota and on which nodes that is.
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads]
  verbs: [get, list, watch]
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads/status, admissionchecks/status]
  verbs: [patch]
- apiGroups: [kueue.x-k8s.io]
  resources: [admissionchecks, resourceflavors]
  verbs: [list, watch]
{{- end }}

{{- define "gangplan.rights.suspend-jobsets" }}
# Likewise the JobSets.
- apiGroups: [jobset.x-k8s.io]
  resources: [jobsets]
  verbs: [list, watch, patch]
{{- end }}

{{- define "gangplan.rights.provisioning" }}
# Ask for nodes by ProvisioningRequests, with a template for each pod set, which it owns.
- apiGroups: [autoscaling.x-k8s.io]
  resources: [provisioningrequests]
  verbs: [get, list, create, delete]
- apiGroups: [""]
  resources: [podtemplates]
  verbs: [get, create]
{{- end }}

{{- define "gangplan.rights.sakkara" }}
# Read the groups of Sakkara's users, and write their results into their data and their pods' labels.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [list, watch, patch]
- apiGroups: [""]
  resources: [pods]
  verbs: [patch]
{{- end }}

{{- define "gangplan.rights.api" }}
# Ask what somebody may see who asks the aggregated API.
- apiGroups: [authorization.k8s.io]
  resources: [subjectaccessreviews]
  verbs: [create]
{{- end }}

{{- define "gangplan.rights.kueue" }}
# The levels of the network, with `source: kueue` in the configuration's `topologies`.
- apiGroups: [kueue.x-k8s.io]
  resources: [topologies]
  verbs: [list, watch]
{{- end }}

{{- define "gangplan.rights.kueue-workloads" }}
# Likewise, leave room to the pods that Kueue has placed itself and that are not there yet.
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads]
  verbs: [list, watch]
{{- end }}
