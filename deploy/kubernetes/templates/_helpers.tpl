{{- define "tidings.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "tidings.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "tidings.selectorLabels" -}}
app.kubernetes.io/name: {{ include "tidings.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tidings.labels" -}}
{{ include "tidings.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "tidings.image" -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}

{{- /* Settings of all pods: the secrets as files. */ -}}
{{- define "tidings.env" -}}
- name: TIDINGS_HOST
  value: "0.0.0.0"
- name: TIDINGS_PORT
  value: "3000"
- name: TIDINGS_DATA_DIR
  value: /data
- name: TIDINGS_LOG_FORMAT
  value: json
{{- range $setting, $key := .Values.secret.keys }}
- name: {{ $setting }}_FILE
  value: /run/secrets/tidings/{{ $key }}
{{- end }}
{{- range $setting, $value := .Values.settings }}
- name: {{ $setting }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "tidings.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "tidings.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "tidings.mounts" -}}
- name: secrets
  mountPath: /run/secrets/tidings
  readOnly: true
- name: data
  mountPath: /data
- name: tmp
  mountPath: /tmp
{{- end -}}

{{- define "tidings.volumes" -}}
- name: secrets
  secret:
    secretName: {{ required "secret.name: create a Secret with the database address and the encryption key, and give its name" .Values.secret.name }}
    # 0440
    defaultMode: 288
    items:
      {{- range $setting, $key := .Values.secret.keys }}
      - key: {{ $key }}
        path: {{ $key }}
      {{- end }}
- name: data
  emptyDir:
    sizeLimit: 64Mi
- name: tmp
  emptyDir:
    sizeLimit: 1Gi
{{- end -}}

{{- /* A deployment of one role. Arguments: root, component, values. */ -}}
{{- define "tidings.deployment" -}}
{{- $root := .root -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "tidings.fullname" $root }}-{{ .component }}
  labels:
    {{- include "tidings.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  {{- if not .values.autoscaling.enabled }}
  replicas: {{ .values.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  selector:
    matchLabels:
      {{- include "tidings.selectorLabels" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  template:
    metadata:
      labels:
        {{- include "tidings.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
      {{- with .values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "tidings.fullname" $root }}
      automountServiceAccountToken: false
      # With a Service named tidings, Kubernetes would set TIDINGS_PORT and others in the pods.
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ $root.Values.terminationGracePeriodSeconds }}
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        {{- include "tidings.podSecurity" $root | nindent 8 }}
      topologySpreadConstraints:
        {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
        - maxSkew: 1
          topologyKey: {{ $key }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "tidings.selectorLabels" $root | nindent 14 }}
              app.kubernetes.io/component: {{ $.component }}
        {{- end }}
      containers:
        - name: tidings
          image: {{ include "tidings.image" $root | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          env:
            {{- include "tidings.env" $root | nindent 12 }}
            - name: TIDINGS_ROLE
              value: {{ .component }}
            {{- range $setting, $value := .values.settings }}
            - name: {{ $setting }}
              value: {{ $value | quote }}
            {{- end }}
          ports:
            - name: http
              containerPort: 3000
          # A pod serves /health once it has migrated, or waited for migrations.
          startupProbe:
            httpGet: { path: /health, port: http }
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: {{ $root.Values.probes.startupAttempts }}
          # Whether the process responds. The database does not count: a restart would not bring it back.
          livenessProbe:
            httpGet: { path: /health, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          # Whether it can do its work: it asks the database, for 2 s at most.
          readinessProbe:
            httpGet: { path: /ready, port: http }
            periodSeconds: 5
            timeoutSeconds: 4
            failureThreshold: 2
          lifecycle:
            preStop:
              sleep:
                seconds: {{ $root.Values.preStopSeconds }}
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          securityContext:
            {{- include "tidings.containerSecurity" $root | nindent 12 }}
          volumeMounts:
            {{- include "tidings.mounts" $root | nindent 12 }}
      volumes:
        {{- include "tidings.volumes" $root | nindent 8 }}
      {{- with .values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end -}}
