// The engine without the change and with it: the facts of both replays, loaded once for a page of people, and the
// version that each run has in them.
import { type Channel, rollUpWorkflowId } from "@tidings/contract";
import { jobIdOf } from "../../lib/ids.ts";
import type { StoredChange } from "../../store/tables.ts";
import { findWorkflowStates } from "../../store/workflows/workflows.batch.ts";
import { findTriggerTargets, type WorkflowVersion } from "../../store/workflows/workflows.ts";
import type { Batch } from "../batch.ts";
import { loadFacts } from "../run/facts.ts";
import type { Facts, Run } from "../run/run.ts";
import { loadVersions, rulesOf } from "../run/versions.ts";
import type { PastRun, PersonHistory } from "./history.ts";
import type { Moving, RunVersion, Variant } from "./state.ts";

/** `ignored` only says what is left out. */
export const isEmptyChange = ({ workflows, budgets, preferences, order, layouts }: StoredChange): boolean =>
  workflows.length === 0 &&
  budgets === null &&
  [preferences, order, layouts].every((given) => Object.keys(given).length === 0);

/** The changed definitions as versions, by internal id of their workflow. */
type ChangedVersions = ReadonlyMap<string, { version: WorkflowVersion; active: boolean }>;

const changedVersions = (environmentId: string, { workflows }: StoredChange): ChangedVersions =>
  new Map(
    workflows.map(({ id, active, definition }) => [
      id,
      { active, version: { id: `changed ${id}`, environmentId, workflowId: id, definition } },
    ]),
  );

export type Variants = {
  before: Variant;
  after: Variant;
  /** The runs that the change may concern; a person without any is replayed once. */
  concerned(history: PersonHistory): PastRun[];
};

export async function loadVariants(
  batch: Batch,
  environmentId: string,
  histories: PersonHistory[],
  change: StoredChange,
): Promise<Variants> {
  const changed = changedVersions(environmentId, change);
  const rollUps = await findRollUpVersion(batch, environmentId);
  const asItWas = (past: PastRun): RunVersion => ({
    version: past.version,
    rules: rulesOf(past.version, past.state),
  });
  const asChanged = (past: PastRun): RunVersion | null => {
    const before = asItWas(past);
    if (past.isLead || past.version.definition.isBroadcast) return before;
    const own = changed.get(past.version.workflowId);
    if (own && !own.active) return null;
    const found = own ? { version: own.version, rules: rulesOf(own.version, undefined) } : before;
    return withPreference(found, past.version.workflowId, change);
  };
  const prototypes = histories.flatMap(({ person, runs }) =>
    runs.flatMap((past) => {
      const [before, after] = [asItWas(past), asChanged(past)];
      const versions = after && after.version !== before.version ? [before, after] : [before];
      return versions.map((one) => prototypeOf(person, past, one));
    }),
  );
  const [first] = prototypes;
  const withRollUp =
    first && rollUps
      ? [...prototypes, { ...first, ...rollUps, jobs: jobsOf(first.notificationId, rollUps.version) }]
      : prototypes;
  const loaded = await loadFacts(batch, withRollUp, new Map());
  const rollUpAfter = changed.get(rollUps?.version.workflowId ?? "");
  return {
    before: { ...newMoving(loaded), versionOf: asItWas, rollUp: rollUps, followsStarts: false },
    after: {
      ...newMoving(withChange(loaded, environmentId, change)),
      versionOf: asChanged,
      rollUp: rollUpAfter ? { version: rollUpAfter.version, rules: rulesOf(rollUpAfter.version, undefined) } : rollUps,
      followsStarts: true,
    },
    concerned: (history) => concernedRuns(history, change, { changed, hasBudgets: loaded.budgets.size > 0 }),
  };
}

async function findRollUpVersion(batch: Batch, environmentId: string): Promise<RunVersion | null> {
  const [target] = await findTriggerTargets(batch.db, environmentId, [rollUpWorkflowId]);
  if (!target?.active) return null;
  const version = (await loadVersions(batch, [target.version_id])).get(target.version_id);
  const states = await findWorkflowStates(batch.db, [target.id]);
  return version ? { version, rules: rulesOf(version, states.get(target.id)) } : null;
}

function withPreference(found: RunVersion, workflowId: string, { preferences }: StoredChange): RunVersion {
  if (!Object.hasOwn(preferences, workflowId)) return found;
  const { rules } = found;
  return { ...found, rules: { ...rules, preferences: { ...rules.preferences, user: preferences[workflowId]! } } };
}

const jobsOf = (notificationId: string, { definition }: WorkflowVersion): Run["jobs"] =>
  definition.steps
    .filter((step) => step.active)
    .map((step, stepIndex) => ({
      ...{ id: jobIdOf(notificationId, stepIndex), stepIndex, step, status: "pending" as const, providerId: null },
      ...{ details: [], newDetails: [], output: null, digest: null, bridge: null, mergedInto: null, wakeAt: null },
    }));

/** A run as the facts are loaded for. */
const prototypeOf = (subscriber: PersonHistory["person"], past: PastRun, { version, rules }: RunVersion): Run => ({
  notificationId: past.notification.id,
  environmentId: version.environmentId,
  isNew: true,
  event: past.event,
  version,
  rules,
  subscriber,
  actor: past.actor,
  isWorkflowDeleted: false,
  contextKeys: past.notification.context_keys,
  subscriptions: past.notification.subscriptions,
  jobs: jobsOf(past.notification.id, version),
});

/** Each replay fills its own maps. */
function newMoving(loaded: Facts): { facts: Facts; moving: Moving } {
  const moving: Moving = { claimResults: new Map(), digests: new Map(), arrivals: new Map(), marks: new Map() };
  return { facts: { ...loaded, ...moving, drafted: new Map() }, moving };
}

function withChange(facts: Facts, environmentId: string, { budgets, order, layouts }: StoredChange): Facts {
  return {
    ...facts,
    integrations: inOrder(facts.integrations, order),
    budgets: budgets === null ? facts.budgets : new Map(budgets.length > 0 ? [[environmentId, budgets]] : []),
    layouts: new Map(
      [...facts.layouts].map(([id, rows]) => [
        id,
        rows.map((row) => (layouts[row.id] ? { ...row, control_values: layouts[row.id]! } : row)),
      ]),
    ),
  };
}

/** Those that are named come first; the others keep their order. */
function inOrder(integrations: Facts["integrations"], order: StoredChange["order"]): Facts["integrations"] {
  const rankOf = (channel: Channel, identifier: string): number => {
    const at = order[channel]?.indexOf(identifier) ?? -1;
    return at < 0 ? Number.MAX_SAFE_INTEGER : at;
  };
  return integrations.toSorted((a, b) => rankOf(a.channel, a.identifier) - rankOf(b.channel, b.identifier));
}

type Concern = { changed: ChangedVersions; hasBudgets: boolean };

/**
 * Counts of digests and throttles belong to a step, so runs of other workflows end as they did. Not so where something
 * is shared between workflows: budgets, the profile that a step changes, integrations and layouts. Nor for the
 * workflows of runs that a concerned one starts, or that have its supersede key.
 */
function concernedRuns({ runs }: PersonHistory, change: StoredChange, { changed, hasBudgets }: Concern): PastRun[] {
  if (isEmptyChange(change)) return [];
  const isShared =
    hasBudgets || change.budgets !== null || Object.keys(change.order).length + Object.keys(change.layouts).length > 0;
  if (isShared) return runs;
  const own = reachedRuns(runs, new Set([...changed.keys(), ...Object.keys(change.preferences)]));
  const changesProfile = ({ definition }: WorkflowVersion) =>
    definition.steps.some(({ type }) => type === "update_subscriber");
  const hasUpdates =
    own.some(({ version }) => changesProfile(version)) ||
    [...changed.values()].some(({ version }) => changesProfile(version));
  return own.length > 0 && hasUpdates ? runs : own;
}

/** The runs of these workflows, and of those that they reach. `workflows` grows. */
function reachedRuns(runs: PastRun[], workflows: Set<string>): PastRun[] {
  const ids = new Set<string>();
  const keys = new Set<string>();
  for (let known = -1; known !== ids.size; ) {
    known = ids.size;
    for (const { notification, version, event } of runs) {
      const { startedBy, supersedeKey } = event;
      const isReached =
        workflows.has(version.workflowId) ||
        (startedBy && ids.has(startedBy.notificationId)) ||
        (supersedeKey !== null && keys.has(supersedeKey));
      if (!isReached) continue;
      workflows.add(version.workflowId);
      ids.add(notification.id);
      if (supersedeKey !== null) keys.add(supersedeKey);
    }
  }
  return runs.filter(({ notification }) => ids.has(notification.id));
}
