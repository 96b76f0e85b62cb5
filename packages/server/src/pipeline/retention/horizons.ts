// The time up to which each environment keeps each class of data.
import type { EnvironmentRetentionClass } from "@tidings/contract";
import { firstIdAt, timeOfId } from "../../lib/ids.ts";
import { firstId, type Horizon } from "../../store/installation/retention-rows.ts";
import {
  findOpenEvents,
  listRetentionEnvironments,
  type RetentionEnvironment,
} from "../../store/installation/retention-runs.ts";
import { cutoffOf, type RetentionDays, resolveRetention } from "../rules/retention.ts";
import type { RetentionCtx } from "./tally.ts";

export type EnvironmentHorizons = Record<EnvironmentRetentionClass, Horizon>;

/** Environments of which one statement reads the horizons. */
export const environmentsPerPage = 500;

/** Events that wait for another one were accepted with it. */
const heldMs = 3_600_000;

export async function findHorizons(ctx: RetentionCtx): Promise<EnvironmentHorizons[]> {
  const open = await findOpenEvents(ctx.db);
  const environments = await findEnvironments(ctx);
  return environments.map((environment) => horizonsOf(ctx, environment, open.get(environment.id)));
}

async function findEnvironments({ db }: Pick<RetentionCtx, "db">): Promise<RetentionEnvironment[]> {
  const all: RetentionEnvironment[] = [];
  for (let after = firstId; ; after = all.at(-1)!.id) {
    const page = await listRetentionEnvironments(db, after, environmentsPerPage);
    all.push(...page);
    if (page.length < environmentsPerPage) return all;
  }
}

/** The longest retention of all environments; `changed`: with other days for one of them. */
export async function findLongestDays(
  ctx: Pick<RetentionCtx, "db" | "config">,
  changed?: { environmentId: string; days: RetentionDays },
): Promise<Pick<RetentionDays, "messages" | "inApp">> {
  const all = (await findEnvironments(ctx)).map(({ id, retention }) =>
    id === changed?.environmentId ? changed.days : resolveRetention(ctx.config, retention),
  );
  const longest = (name: "messages" | "inApp") => Math.max(...all.map((days) => days[name]));
  return { messages: longest("messages"), inApp: longest("inApp") };
}

/** `openEvent`: the first event that has not started; what is as old as it stays. */
function horizonsOf(
  { config, now }: Pick<RetentionCtx, "config" | "now">,
  { id, is_dev, retention }: RetentionEnvironment,
  openEvent?: string,
): EnvironmentHorizons {
  const days = resolveRetention(config, retention);
  const at = (name: EnvironmentRetentionClass, limit = Number.POSITIVE_INFINITY): Horizon => {
    const before = new Date(Math.min(cutoffOf(now(), days[name], config.retention.step).getTime(), limit));
    return { environment_id: id, before, before_id: firstIdAt(before), after_id: firstId, is_dev };
  };
  return {
    messages: at("messages", openEvent === undefined ? undefined : timeOfId(openEvent) - heldMs),
    inApp: at("inApp"),
    captured: at("captured"),
    deadLetters: at("deadLetters"),
    statistics: at("statistics"),
  };
}

/** The time up to which no environment keeps the class; without environments, now. */
export const earliest = (all: EnvironmentHorizons[], name: EnvironmentRetentionClass, now: Date): Date =>
  new Date(Math.min(now.getTime(), ...all.map((one) => one[name].before.getTime())));
