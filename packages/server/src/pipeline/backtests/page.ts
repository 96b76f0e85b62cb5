// Replays a page of people: loads what is stored about them, replays each with and without the change, and counts.
// Reads only, in one snapshot.

import type { Ctx } from "../../context.ts";
import { pauseIfDue } from "../../lib/load/pauses.ts";
import { findBudgets } from "../../store/attention/budgets.ts";
import {
  type ConfigurationTimes,
  findConfigurationTimes,
  type PersonOfPeriod,
} from "../../store/backtests/histories.ts";
import type { StoredChange } from "../../store/tables.ts";
import type { Batch } from "../batch.ts";
import { realClock } from "../clock/clock.ts";
import { calibratePerson } from "./calibrate.ts";
import { groupPeople, loadHistories, type Period, type PersonHistory } from "./history.ts";
import { replayPerson } from "./replay.ts";
import type { ReplayedPerson } from "./tally.ts";
import { loadVariants, type Variants } from "./variants.ts";

/** Waits that begin in the period are followed for as long, with the signals that came meanwhile. */
const tailMs = 31 * 86_400_000;

/** `onPerson`: called for each person in turn, so that no more than one replay is in memory. */
export async function replayPeople(
  ctx: Ctx,
  environmentId: string,
  { people, period, change }: { people: PersonOfPeriod[]; period: Period; change: StoredChange },
  onPerson: (person: ReplayedPerson, variants: Variants) => void,
): Promise<void> {
  const batch = { ...ctx, clock: realClock(ctx) };
  const hasBudgets = (change.budgets?.length ?? 0) > 0 || (await findBudgets(ctx.db, environmentId)).length > 0;
  const times = await findConfigurationTimes(ctx.db, environmentId);
  const until = period.to + tailMs;
  for await (const group of groupPeople(batch, environmentId, people, { period, until })) {
    const histories = await loadHistories(batch, environmentId, group, { period, hasBudgets });
    const variants = await loadVariants(batch, environmentId, histories, change);
    for (const history of histories) {
      await pauseIfDue();
      onPerson(await replayBoth(batch, history, { variants, period, until, times }), variants);
    }
  }
}

type Around = { variants: Variants; period: Period; until: number; times: ConfigurationTimes };

async function replayBoth(
  batch: Batch,
  history: PersonHistory,
  { variants, period, until, times }: Around,
): Promise<ReplayedPerson> {
  const before = await replayPerson(batch, history, { variant: variants.before, until });
  const calibrated = calibratePerson(history, before, { period, times });
  const concerned = variants.concerned(history);
  if (concerned.length === 0) return { history, before, after: null, concerned: null, calibrated };
  const after = await replayPerson(batch, { ...history, runs: concerned }, { variant: variants.after, until });
  const isWhole = concerned.length === history.runs.length;
  return {
    ...{ history, before, after, calibrated },
    concerned: isWhole ? null : new Set(concerned.map(({ notification }) => notification.id)),
  };
}
