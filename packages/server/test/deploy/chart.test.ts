// The Helm chart: what it renders is valid by the published schemas of Kubernetes, and has what the service needs.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { readConfig } from "../../src/config.ts";
import { type Setting, settings } from "../../src/settings.ts";
import { parseTemplate, type Templates } from "./chart/parse.ts";
import { type Resource, renderChart, renderText } from "./chart/render.ts";
import { environmentOf, everything, find, type PodTemplate, podOf, resourcesWith } from "./chart/resources.ts";
import { faultsOfResource } from "./schemas.ts";

const root = join(import.meta.dirname, "../../../..");
const byDefault = resourcesWith();
const withEverything = resourcesWith(everything);
const nothingElse = resourcesWith({
  migration: { enabled: false },
  podDisruptionBudget: { enabled: false },
  networkPolicy: { enabled: false },
});

const namesOf = (resources: Resource[]): string[] =>
  resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();

const workloads = (resources: Resource[]): Resource[] =>
  resources.filter(({ kind }) => kind === "Deployment" || kind === "Job");

test("every resource is valid by the schemas of Kubernetes, with no member that they do not know", () => {
  for (const resources of [byDefault, withEverything, nothingElse])
    assert.deepEqual(
      resources.flatMap((resource) => faultsOfResource(resource)),
      [],
    );
});

test("the schemas find what is wrong", () => {
  const api = find(byDefault, "Deployment", "tidings-api");
  const change = (edit: (pod: PodTemplate["spec"]) => unknown): string[] => {
    const copy = structuredClone(api);
    edit(podOf(copy).spec);
    return faultsOfResource(copy);
  };
  assert.match(change((pod) => Object.assign(pod, { enableServiceLink: false }))[0]!, /enableServiceLink/);
  assert.match(change((pod) => Object.assign(pod.containers[0]!, { ports: [{ containerPort: "http" }] }))[0]!, /ports/);
  assert.notEqual(change((pod) => Object.assign(pod, { containers: undefined })).length, 0);
  assert.match(faultsOfResource({ ...api, apiVersion: "apps/v2" })[0]!, /no schema of apps\/v2 Deployment/);
});

test("the default has both roles, the migration and the policies", () => {
  assert.deepEqual(namesOf(byDefault), [
    "Deployment tidings-api",
    "Deployment tidings-worker",
    "Job tidings-migration",
    "NetworkPolicy tidings-api",
    "NetworkPolicy tidings-egress",
    "NetworkPolicy tidings-worker",
    "PodDisruptionBudget tidings-api",
    "PodDisruptionBudget tidings-worker",
    "Service tidings",
    "Service tidings-worker",
    "ServiceAccount tidings",
  ]);
  const added = namesOf(withEverything).filter((name) => !namesOf(byDefault).includes(name));
  assert.deepEqual(added, [
    "HorizontalPodAutoscaler tidings-api",
    "HorizontalPodAutoscaler tidings-worker",
    "Ingress tidings",
    "ServiceMonitor tidings",
  ]);
  assert.deepEqual(
    nothingElse.map(({ kind }) => kind),
    ["Deployment", "Deployment", "Service", "Service", "ServiceAccount"],
  );
});

test("names follow the release", () => {
  const named = (release: string, values = {}) =>
    find(renderChart({ secret: { name: "s" }, ...values }, { release }).resources, "ServiceAccount").metadata.name;
  assert.equal(named("my-tidings"), "my-tidings");
  assert.equal(named("notify"), "notify-tidings");
  assert.equal(named("notify", { fullnameOverride: "other" }), "other");
});

test("the service accepts the settings that the pods get", () => {
  const folder = mkdtempSync(join(tmpdir(), "tidings-chart-"));
  try {
    mkdirSync(join(folder, "run"));
    const values: Record<string, string> = {
      "encryption-key": Buffer.alloc(32, 1).toString("base64"),
      "api-key": "k".repeat(32),
      "mail-url": "smtps://me:pw@mail.example.com",
      "otlp-headers": "a=b",
    };
    for (const resource of workloads(withEverything)) {
      const [secrets] = podOf(resource).spec.volumes.flatMap(({ secret }) => secret ?? []);
      for (const { key, path } of secrets!.items)
        writeFileSync(join(folder, "run", path), `${values[key] ?? "postgres://tidings:pw@db/tidings"}\n`);
      const given = Object.entries(environmentOf(resource)).map(([name, value]): [string, string] => [
        name,
        value.replace("/run/secrets/tidings", join(folder, "run")),
      ]);
      const mail = { TIDINGS_MAIL_FROM: "notify@example.com" };
      const config = readConfig({ ...Object.fromEntries(given), ...mail });
      const component = podOf(resource).metadata.labels["app.kubernetes.io/component"]!;
      assert.deepEqual([...config.roles], component === "migration" ? ["api", "worker"] : [component]);
      assert.deepEqual([config.host, config.port, config.dataDir], ["0.0.0.0", 3000, "/data"]);
      assert.equal(config.databaseUrl, "postgres://tidings:pw@db/tidings");
      assert.equal(config.encryptionKeys.length, 1);
      assert.equal(config.docs, false);
      assert.equal(config.live.connections, component === "api" ? 50_000 : 20_000);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("secrets come from the Secret alone", () => {
  const schema = JSON.parse(readFileSync(join(root, "deploy/kubernetes/values.schema.json"), "utf8"));
  const secretNames = Object.entries(settings as Record<string, Setting<unknown>>)
    .filter(([, { isSecret }]) => isSecret)
    .map(([name]) => name);
  assert.deepEqual(schema.definitions.secretSetting.enum.toSorted(), secretNames.toSorted());
  for (const resource of workloads(withEverything)) {
    const environment = environmentOf(resource);
    for (const name of secretNames) {
      assert.ok(!(name in environment), name);
      assert.match(environment[`${name}_FILE`]!, /^\/run\/secrets\/tidings\/[a-z-]+$/);
    }
    const mount = podOf(resource).spec.containers[0]!.volumeMounts.find((one) => one.name === "secrets");
    assert.deepEqual(mount, { name: "secrets", mountPath: "/run/secrets/tidings", readOnly: true });
  }
});

const refused: [reason: RegExp, values: object][] = [
  [/secret\/name/, { secret: { name: "" } }],
  [/settings/, { settings: { TIDINGS_ENCRYPTION_KEY: "in the clear" } }],
  [/settings/, { settings: { DATABASE_URL: "postgres://a:b@c/d" } }],
  [/settings/, { settings: { TIDINGS_API_KEY_FILE: "/x" } }],
  [/settings/, { api: { settings: { TIDINGS_ROLE: "worker" } } }],
  [/settings/, { settings: { TIDINGS_READ_POOL: 4 } }],
  [/secret\/keys/, { secret: { keys: { TIDINGS_PORT: "port" } } }],
  [/terminationGracePeriodSeconds/, { terminationGracePeriodSeconds: 30 }],
  [/replica/, { api: { replica: 3 } }],
  [/replicas/, { worker: { replicas: 0 } }],
];

test("values that cannot work are refused before anything is installed", () => {
  for (const [reason, values] of refused) {
    const { secret, ...others } = values as { secret?: object };
    const run = () => renderChart({ ...others, secret: { name: "tidings-secrets", ...secret } });
    assert.throws(run, reason, JSON.stringify(values));
  }
});

test("pods run without root, with a read-only root, and without an account of the cluster", () => {
  for (const resource of workloads(withEverything)) {
    const { spec } = podOf(resource);
    assert.deepEqual(spec.securityContext, {
      runAsNonRoot: true,
      runAsUser: 10001,
      runAsGroup: 10001,
      fsGroup: 10001,
      fsGroupChangePolicy: "OnRootMismatch",
      seccompProfile: { type: "RuntimeDefault" },
    });
    assert.deepEqual(spec.containers[0]!.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    assert.equal(spec.automountServiceAccountToken, false);
    // Else Kubernetes sets TIDINGS_PORT=tcp://… for a Service named tidings, and the service refuses to start.
    assert.equal(spec.enableServiceLinks, false);
    const written = spec.containers[0]!.volumeMounts.filter(({ readOnly }) => !readOnly);
    assert.deepEqual(
      written.map(({ mountPath }) => mountPath),
      ["/data", "/tmp"],
    );
  }
});

/** From the sources: the time after which a stop is forced. */
const drainSeconds =
  Number(
    /drainLimitMs = ([\d_]+)/
      .exec(readFileSync(join(root, "packages/server/src/main.ts"), "utf8"))![1]!
      .replaceAll("_", ""),
  ) / 1000;

test("probes differ, and a stop has the time it needs", () => {
  for (const role of ["api", "worker"]) {
    const { spec } = podOf(find(byDefault, "Deployment", `tidings-${role}`));
    const { startupProbe, livenessProbe, readinessProbe, lifecycle } = spec.containers[0]!;
    assert.deepEqual(
      [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path),
      ["/health", "/health", "/ready"],
    );
    assert.ok(startupProbe.periodSeconds * startupProbe.failureThreshold >= 600, "time for migrations");
    assert.ok(readinessProbe.timeoutSeconds > 2, "the database may take 2 s to respond");
    const { seconds } = lifecycle.preStop.sleep;
    assert.ok(drainSeconds > 0);
    assert.ok(spec.terminationGracePeriodSeconds > seconds + drainSeconds, "SIGKILL comes later than the forced stop");
    assert.deepEqual(
      spec.topologySpreadConstraints.map(({ topologyKey }) => topologyKey),
      ["topology.kubernetes.io/zone", "kubernetes.io/hostname"],
    );
  }
});

test("requests reach the api, and what selects pods selects the right ones", () => {
  const selects = (selector: object, resource: Resource): boolean => {
    const { labels } = podOf(resource).metadata;
    return Object.entries(selector).every(([name, value]) => labels[name] === value);
  };
  const selected = (selector: object): string[] =>
    workloads(byDefault)
      .filter((resource) => selects(selector, resource))
      .map(({ metadata }) => metadata.name);
  const selectorOf = (kind: string, name: string): object => {
    const { spec } = find(byDefault, kind, name) as unknown as { spec: Record<string, never> };
    const { selector, podSelector } = spec as { selector?: { matchLabels?: object }; podSelector?: never };
    const found = (selector ?? podSelector) as { matchLabels?: object };
    return found.matchLabels ?? found;
  };
  const expected: [kind: string, name: string, workloads: string[]][] = [
    ["Service", "tidings", ["tidings-api"]],
    ["Service", "tidings-worker", ["tidings-worker"]],
    ["Deployment", "tidings-api", ["tidings-api"]],
    ["Deployment", "tidings-worker", ["tidings-worker"]],
    ["PodDisruptionBudget", "tidings-api", ["tidings-api"]],
    ["PodDisruptionBudget", "tidings-worker", ["tidings-worker"]],
    ["NetworkPolicy", "tidings-api", ["tidings-api"]],
    ["NetworkPolicy", "tidings-worker", ["tidings-worker"]],
    ["NetworkPolicy", "tidings-egress", ["tidings-api", "tidings-worker", "tidings-migration"]],
  ];
  for (const [kind, name, names] of expected)
    assert.deepEqual(selected(selectorOf(kind, name)).toSorted(), names.toSorted(), `${kind} ${name}`);
});

test("the migration runs before everything else, and needs nothing else of the chart", () => {
  const job = find(byDefault, "Job");
  const annotations = job.metadata.annotations as Record<string, string>;
  assert.equal(annotations["helm.sh/hook"], "pre-install,pre-upgrade");
  const { spec } = podOf(job);
  assert.deepEqual(spec.containers[0]!.command, ["tidings", "migrate"]);
  assert.ok(!("serviceAccountName" in spec), "the account is created after the hook");
});

test("autoscaling replaces the number of replicas, and workers follow a metric that the service has", () => {
  type Scaler = { spec: { metrics: { external?: { metric: { name: string }; target: object } }[] } };
  const api = find(withEverything, "Deployment", "tidings-api").spec as object;
  assert.ok(!("replicas" in api));
  assert.equal((find(byDefault, "Deployment", "tidings-worker").spec as { replicas: number }).replicas, 2);
  const { spec } = find(withEverything, "HorizontalPodAutoscaler", "tidings-worker") as unknown as Scaler;
  const { external } = spec.metrics[0]!;
  assert.deepEqual(external!.target, { type: "Value", value: "30" });
  const gauges = readFileSync(join(root, "packages/server/src/installation-gauges.ts"), "utf8");
  assert.ok(gauges.includes(`"${external!.metric.name}"`));
});

test("Prometheus reads all pods under the name that the alert rules expect", () => {
  const { spec } = find(withEverything, "ServiceMonitor") as unknown as {
    spec: { jobLabel: string; selector: { matchLabels: Record<string, string> } };
  };
  const services = withEverything.filter(({ kind }) => kind === "Service");
  for (const { metadata } of services) {
    const labels = metadata.labels as Record<string, string>;
    for (const [name, value] of Object.entries(spec.selector.matchLabels)) assert.equal(labels[name], value);
    assert.equal(labels[spec.jobLabel], "tidings");
  }
});

test("the chart has the version of the service", () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const chart = parse(readFileSync(join(root, "deploy/kubernetes/Chart.yaml"), "utf8"));
  assert.deepEqual([chart.version, chart.appVersion], [version, version]);
  const { spec } = podOf(find(byDefault, "Job"));
  assert.equal(spec.containers[0]!.image, `tidings:${version}`);
});

test("the notes say where the service is", () => {
  const notes = (values: object) => renderChart({ secret: { name: "s" }, ...values }).notes;
  assert.match(notes({}), /port-forward service\/tidings 3000:80\n/);
  assert.match(notes({ ingress: { enabled: true } }), /served at https:\/\/notify\.example\.com\./);
});

const samples: [template: string, output: string | RegExp][] = [
  ["a {{- 1 }} b", "a1 b"],
  ["a\n{{- if .yes }}\nb\n{{- else }}\nc\n{{- end }}\nd", "a\nb\nd"],
  ["{{ if .no }}a{{ else if .yes }}b{{ else }}c{{ end }}", "b"],
  ["{{ with .map }}{{ .x }}{{ end }}{{ with .empty }}no{{ end }}", "1"],
  ["{{ range $key, $value := .map }}{{ $key }}={{ $value | quote }};{{ end }}", 'x="1";'],
  ["{{ $a := .text }}{{ $a | trunc 2 }}", "te"],
  ["x:{{ toYaml .map | nindent 2 }}", "x:\n  x: 1"],
  ['{{ printf "%s-%s" .text (default "d" .no) }}', "text-d"],
  ["{{- /* }} a comment */ -}} a", "a"],
  ["{{ .missing }}", /\.missing does not exist/],
  ["{{ lower .text }}", /the function lower is not known/],
  ["{{ if .yes }}a", /an {{ end }} is missing/],
  ["{{ .million }}", /exponent/],
  ["{{ .map }}", /not a text/],
  ["{{ .text", /not closed/],
  ["{{ $x }}", /\$x is not defined/],
];

test("templates are read as Go reads them, and what is not known is an error", () => {
  const dot = { yes: true, no: false, text: "text", map: { x: 1 }, empty: {}, million: 1_000_000 };
  for (const [template, output] of samples) {
    const run = () => {
      const templates: Templates = new Map();
      parseTemplate("sample", template, templates);
      return renderText("sample", dot, templates);
    };
    if (output instanceof RegExp) assert.throws(run, output, template);
    else assert.equal(run(), output, template);
  }
});
