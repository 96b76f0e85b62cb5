// Runs and facts for tests of the engine's pure core: a person, a workflow of the given steps, an event.
import type { StepType } from "@tidings/contract";
import { newId } from "../../src/lib/ids.ts";
import { createSecrets } from "../../src/lib/secrets.ts";
import type { Facts, JobState, Run, StepInput } from "../../src/pipeline/run/run.ts";
import type { IntegrationRow } from "../../src/store/integrations/integrations.ts";
import type { PreferenceRow } from "../../src/store/subscribers/preferences.ts";
import type { SubscriberRow } from "../../src/store/subscribers/subscribers.ts";
import type { StoredStep, WorkflowDefinition } from "../../src/store/workflows/workflows.ts";

/** A Sunday. */
export const now = new Date("2025-06-01T12:00:00Z");

export const step = (type: StepType, controlValues: object = {}, changes: Partial<StoredStep> = {}): StoredStep => ({
  id: newId(),
  stepId: `step-${type}`,
  name: type,
  type,
  controlValues: controlValues as StoredStep["controlValues"],
  active: true,
  shouldStopOnFail: false,
  ...changes,
});

export const subscriber = {
  id: newId(),
  subscriber_id: "ada",
  email: "ada@example.com",
  data: null,
  channels: [] as object[],
} as SubscriberRow;

const jobOf = (one: StoredStep, stepIndex: number): JobState => ({
  id: newId(),
  stepIndex,
  step: one,
  status: "pending",
  providerId: null,
  details: [],
  newDetails: [],
  output: null,
  digest: null,
  bridge: null,
  mergedInto: null,
  wakeAt: null,
});

type RunChanges = Partial<Omit<Run, "event">> & {
  event?: Partial<Run["event"]>;
  definition?: Partial<WorkflowDefinition>;
};

export function runOf(steps: StoredStep[], { event, definition, ...changes }: RunChanges = {}): Run {
  const preferences = { user: null, default: { all: { enabled: true, readOnly: false }, channels: {} } };
  const whole = {
    workflowId: "w",
    name: "w",
    description: null,
    tags: [],
    severity: "none",
    origin: "external",
  } as const;
  const content: WorkflowDefinition = { ...whole, tags: [], preferences, steps, ...definition };
  return {
    notificationId: newId(),
    environmentId: "env",
    isNew: true,
    event: {
      id: newId(),
      transactionId: "t",
      payload: { name: "Ada", order: 7 },
      overrides: null,
      tenant: null,
      tenantFields: null,
      bridgeUrl: null,
      priority: null,
      trace: null,
      startedBy: null,
      supersedeKey: null,
      createdAt: now,
      ...event,
    },
    version: {
      id: newId(),
      environmentId: "env",
      workflowId: newId(),
      definition: content,
    },
    subscriber,
    actor: null,
    isWorkflowDeleted: false,
    rules: content,
    contextKeys: [],
    subscriptions: null,
    jobs: steps.map(jobOf),
    ...changes,
  };
}

const integration = (channel: IntegrationRow["channel"], provider_id: string) =>
  ({
    id: newId(),
    environment_id: "env",
    identifier: provider_id,
    provider_id,
    channel,
    conditions: [],
    is_primary: channel === "email",
    priority: 1,
  }) as unknown as IntegrationRow;

/** Encrypted with the tests' own key. */
export const secrets = createSecrets([{ version: 1, key: Buffer.alloc(32, 1) }]);

export const factsOf = (changes: Partial<Facts> = {}): Facts => ({
  secrets,
  integrations: [integration("in_app", "svc"), integration("email", "nodemailer")],
  linkSchemes: new Map(),
  pagesUrls: new Map(),
  budgets: new Map(),
  drafted: new Map(),
  variables: new Map(),
  claimResults: new Map(),
  digests: new Map(),
  arrivals: new Map(),
  preferences: new Map(),
  categories: new Map(),
  audiences: new Map(),
  contexts: new Map(),
  brands: { environments: new Map(), contexts: new Map() },
  layouts: new Map(),
  translations: new Map(),
  tenants: new Map(),
  chatEndpoints: new Map(),
  marks: new Map(),
  maxWaitDays: 90,
  defaultTimezone: "UTC",
  publicUrl: "",
  newId,
  ...changes,
});

/** What the subscriber chose, as the facts hold it. */
export const chosen = (...rows: Partial<PreferenceRow>[]): Facts["preferences"] =>
  new Map([
    [
      subscriber.id,
      rows.map(
        (row) => ({ workflow_id: null, context_keys: [], channels: {}, schedule: null, ...row }) as PreferenceRow,
      ),
    ],
  ]);

/** What the first step of the run is handed. */
export const inputOf = (run: Run, facts: Partial<Facts> = {}, at = now): StepInput => ({
  run,
  job: run.jobs[0]!,
  facts: factsOf(facts),
  now: at,
});

export const statuses = (run: Run): string[] => run.jobs.map((job) => job.status);
export const names = (job: JobState | undefined): string[] => (job?.newDetails ?? []).map((entry) => entry.d);
