// What runs waited for, as actions of a scenario: the signals that their workflows name. Reports of providers are noted
// instead.
import type { ScenarioAction } from "@tidings/contract";
import type { Ctx } from "../../../context.ts";
import { isObject } from "../../../lib/json.ts";
import { listSignalsSince, type SentSignal } from "../../../store/signals/signals.ts";
import type { StoredStep, WorkflowVersion } from "../../../store/workflows/workflows.ts";

type Versions = Iterable<WorkflowVersion>;

const waitsOf = (versions: Versions): StoredStep[] =>
  [...versions].flatMap(({ definition }) => definition.steps.filter(({ type }) => type === "wait"));

const memberOf = (step: StoredStep, name: "signal" | "message", member: string): unknown => {
  const awaited = step.controlValues[name];
  return isObject(awaited) ? awaited[member] : undefined;
};

const maxSignals = 500;

/** `since`: the first of the events. */
export function findAwaitedSignals(
  { db }: Ctx,
  environmentId: string,
  { versions, subscriberIds, since }: { versions: Versions; subscriberIds: string[]; since: Date },
): Promise<SentSignal[]> {
  const names = waitsOf(versions).map((step) => memberOf(step, "signal", "name"));
  const given = { subscriberIds, names: [...new Set(names.filter((name) => typeof name === "string"))], since };
  return listSignalsSince(db, environmentId, given, maxSignals);
}

export const toSignalAction = ({ name, key, data }: SentSignal, subscriberId: string): Omit<ScenarioAction, "at"> => ({
  signal: name,
  to: subscriberId,
  ...(key !== null && { key }),
  ...(data !== null && { data }),
});

const reported: readonly unknown[] = ["delivered", "clicked", "bounced"];

/** Whether a step waits for a report of a provider. */
export const waitsForReports = (versions: Versions): boolean =>
  waitsOf(versions).some((step) => reported.includes(memberOf(step, "message", "event")));
