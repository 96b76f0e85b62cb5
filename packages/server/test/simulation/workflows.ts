// The environment of every simulation: a few workflows, three people, three integrations.
import type { IntegrationRow } from "../../src/store/integrations/integrations.ts";
import type { StoredStep, WorkflowDefinition } from "../../src/store/tables.ts";
import type { Row } from "./world/disk.ts";

export const environmentId = "00000000-0000-7000-8000-00000000e000";

const created = new Date(0);

type Step = Pick<StoredStep, "type" | "controlValues">;

const inApp = (body: string): Step => ({ type: "in_app", controlValues: { body } });
const email: Step = { type: "email", controlValues: { subject: "n", body: "{{payload.n}}", editorType: "html" } };
const sms: Step = { type: "sms", controlValues: { body: "{{payload.n}}" } };
const digest = (controlValues: Step["controlValues"]): Step => ({ type: "digest", controlValues });
const digested = "{% for e in steps.first.events %}{{e.payload.n}} {% endfor %}";
const own = "{{payload.n}}";
/** Any signal with the key of the event ends it. */
const wait = (more: object): Step => {
  const signal = { name: "go", key: "{{payload.key}}", ...more };
  return { type: "wait", controlValues: { type: "regular", amount: 20, unit: "seconds", signal } };
};
const ended = "{{steps.first.reason}}";

type Content = { steps: Step[] } & Partial<Omit<WorkflowDefinition, "steps">>;

const contents = {
  note: { steps: [inApp(own)] },
  mail: { steps: [email, inApp(own)] },
  careful: { steps: [sms, inApp(own)], onUnknownOutcome: "may_delay" },
  later: { steps: [{ type: "delay", controlValues: { amount: 20, unit: "seconds" } }, inApp(own), email] },
  digest: { steps: [digest({ amount: 30, unit: "seconds" }), inApp(digested)] },
  keyed: {
    steps: [digest({ amount: 20, unit: "seconds", digestKey: "key" }), { ...email, controlValues: mailOf(digested) }],
  },
  quiet: {
    steps: [
      digest({ amount: 20, unit: "seconds", lookBackWindow: { amount: 40, unit: "seconds" } }),
      inApp(digested),
      sms,
    ],
  },
  throttled: {
    steps: [{ type: "throttle", controlValues: { amount: 1, unit: "minutes", threshold: 2 } }, inApp(own)],
  },
  waiting: { steps: [wait({}), inApp(ended), email] },
  looking: { steps: [wait({ lookBackMinutes: 1 }), inApp(ended)] },
} satisfies Record<string, Content>;

function mailOf(body: string): Step["controlValues"] {
  return { subject: "n", body, editorType: "html" };
}

export type WorkflowName = keyof typeof contents;
const names = Object.keys(contents) as WorkflowName[];
/** Those that wait for a signal are chosen apart (scenario.ts). */
export const waitingNames = ["waiting", "looking"] as const satisfies WorkflowName[];
export const workflowNames = names.filter((name) => !waitingNames.some((one) => one === name));

export const digests: ReadonlySet<WorkflowName> = new Set(["digest", "keyed", "quiet"]);

const idOf = (kind: string, index: number): string => `00000000-0000-7000-8000-0000000${kind}${index}00`;

const preferences = {
  user: null,
  default: { all: { enabled: true, readOnly: false }, channels: {} },
} as unknown as WorkflowDefinition["preferences"];

/** Rows by table, with their keys. */
export function environmentRows(): [table: string, key: string, row: Row][] {
  const rows: [string, string, Row][] = [];
  for (const [index, name] of names.entries()) {
    const { steps, ...settings }: Content = contents[name];
    const [id, versionId] = [idOf("aa", index), idOf("bb", index)];
    const stored = steps.map(
      (step, at): StoredStep => ({
        id: idOf(`c${at}`, index),
        stepId: at === 0 ? "first" : `step-${at}`,
        name: step.type,
        active: true,
        shouldStopOnFail: false,
        ...step,
      }),
    );
    const definition: WorkflowDefinition = {
      workflowId: name,
      name,
      description: null,
      tags: [],
      severity: "none",
      origin: "tidings" as WorkflowDefinition["origin"],
      preferences,
      steps: stored,
      ...settings,
    };
    const step_types = steps.map(({ type }) => type);
    const version = { id: versionId, environment_id: environmentId, workflow_id: id, definition, step_types };
    rows.push(["workflow_versions", versionId, version]);
    const workflow = {
      id,
      environment_id: environmentId,
      workflow_id: name,
      version_id: versionId,
      name,
      active: true,
      validate_payload: false,
      payload_schema: null,
      search_keys: [],
      step_count: steps.length,
      active_step_count: steps.length,
      deleted_at: null,
      rules: { preferences },
    };
    rows.push(["workflows", id, workflow]);
  }
  for (const row of integrations) rows.push(["integrations", row.id, row]);
  return rows;
}

const integration = (
  index: number,
  row: Pick<IntegrationRow, "provider_id" | "channel" | "is_primary" | "credentials">,
) => ({
  id: idOf("dd", index),
  environment_id: environmentId,
  identifier: `integration-${index}`,
  name: `integration-${index}`,
  configurations: null,
  conditions: [],
  active: true,
  priority: index,
  is_hidden: false,
  created_at: created,
  updated_at: created,
  deleted_at: null,
  deleted_by: null,
  ...row,
});

const sealed = (value: object): string => `sealed:${JSON.stringify(value)}`;
const mailTo = (host: string) =>
  sealed({ webhookUrl: `https://${host}/`, secretKey: "key", from: "a@example.com", senderName: "a" });
const smsTo = sealed({ baseUrl: "https://sms/", apiKeyRequestHeader: "x-key", apiKey: "key", from: "1" });

const integrations: IntegrationRow[] = [
  integration(0, { provider_id: "in-app", channel: "in_app", is_primary: true, credentials: null }),
  integration(1, { provider_id: "email-webhook", channel: "email", is_primary: true, credentials: mailTo("mail-1") }),
  integration(2, { provider_id: "email-webhook", channel: "email", is_primary: false, credentials: mailTo("mail-2") }),
  integration(3, { provider_id: "generic-sms", channel: "sms", is_primary: true, credentials: smsTo }),
];
