// The chart as tests use it: with the one value that has no default, and resources by kind and name.
import assert from "node:assert/strict";
import { type Resource, renderChart } from "./render.ts";

type Values = Parameters<typeof renderChart>[0];

const secret = { name: "tidings-secrets" };

/** Every part of the chart that can be switched on. */
export const everything: Values = {
  image: { repository: "registry.example.com/tidings", tag: "0.1.0" },
  imagePullSecrets: [{ name: "registry" }],
  secret: {
    ...secret,
    keys: {
      TIDINGS_API_KEY: "api-key",
      TIDINGS_DIRECT_DATABASE_URL: "direct-database-url",
      TIDINGS_REPLICA_DATABASE_URL: "replica-database-url",
      TIDINGS_MAIL_URL: "mail-url",
      TIDINGS_OIDC_CLIENT_SECRET: "oidc-client-secret",
      OTEL_EXPORTER_OTLP_HEADERS: "otlp-headers",
    },
  },
  settings: { TIDINGS_PUBLIC_URL: "https://notify.example.com", TIDINGS_DOCS: "off" },
  api: {
    settings: { TIDINGS_LIVE_CONNECTIONS: "50000" },
    autoscaling: { enabled: true },
    podAnnotations: { "example.com/team": "notify" },
    nodeSelector: { "kubernetes.io/arch": "arm64" },
    tolerations: [{ key: "spot", operator: "Exists", effect: "NoSchedule" }],
    affinity: { podAntiAffinity: {} },
  },
  worker: { autoscaling: { enabled: true, metricLabels: { namespace: "notify" } } },
  service: { type: "LoadBalancer", annotations: { "example.com/internal": "true" } },
  ingress: { enabled: true, className: "nginx", annotations: { a: "b" }, tlsSecret: "notify-tls" },
  networkPolicy: {
    ingressFrom: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress-nginx" } } }],
    metricsFrom: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }],
    extraEgress: [{ ports: [{ port: 4318, protocol: "TCP" }] }],
  },
  serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
  serviceAccount: { annotations: { "example.com/role": "none" } },
};

export function resourcesWith(values: Values = {}): Resource[] {
  return renderChart({ ...values, secret: { ...secret, ...(values.secret as object | undefined) } }).resources;
}

/** The one resource of this kind, and of this name where there are several. */
export function find(resources: Resource[], kind: string, name?: string): Resource {
  const found = resources.filter((one) => one.kind === kind && (name === undefined || one.metadata.name === name));
  assert.equal(found.length, 1, `${kind} ${name ?? ""}`);
  return found[0]!;
}

/** What templates of pods have in common, as far as tests read it. */
export type PodTemplate = {
  metadata: { labels: Record<string, string> };
  spec: {
    enableServiceLinks: boolean;
    automountServiceAccountToken: boolean;
    terminationGracePeriodSeconds: number;
    securityContext: Record<string, unknown>;
    topologySpreadConstraints: { topologyKey: string }[];
    volumes: { name: string; secret?: { secretName: string; items: { key: string; path: string }[] } }[];
    containers: Container[];
  };
};

type Probe = {
  httpGet: { path: string; port: string };
  periodSeconds: number;
  timeoutSeconds: number;
  failureThreshold: number;
};

type Container = {
  image: string;
  command?: string[];
  env: { name: string; value: string }[];
  securityContext: Record<string, unknown>;
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
  lifecycle: { preStop: { sleep: { seconds: number } } };
};

export const podOf = (resource: Resource): PodTemplate => (resource.spec as { template: PodTemplate }).template;

export const environmentOf = (resource: Resource): Record<string, string> =>
  Object.fromEntries(podOf(resource).spec.containers[0]!.env.map(({ name, value }) => [name, value]));
