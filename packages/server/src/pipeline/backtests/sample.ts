// Which part of a period with very many notifications is replayed: a share of its people, with everything they got. The
// share is an estimate, so the replay ends before the person with whom it would go beyond the limit. Pure.
import type { Backtest } from "@tidings/contract";
import { backtestLimits } from "@tidings/contract";
import { timeOfId } from "../../lib/ids.ts";
import type { Period } from "./history.ts";

type Counted = { count: number; last_id: string | null };

/** The column is an integer. */
const maxEstimate = 2_000_000_000;

/**
 * The notifications of the period, of which at most `limit` were counted, the first ones. If there may be more, as many
 * as there are if the others came at the same pace.
 */
export function estimateNotifications({ count, last_id }: Counted, { from, to }: Period, limit: number): number {
  if (count < limit || last_id === null) return count;
  const counted = Math.max(1, timeOfId(last_id) - from);
  return Math.min(maxEstimate, Math.max(count + 1, Math.round((count * (to - from)) / counted)));
}

/** Null for everyone. */
export const shareOf = (notifications: number, most: number): number | null =>
  notifications <= most ? null : Math.max(1, Math.floor((most / notifications) * 10_000));

type Sampled = { permyriad: number | null; notifications: number };

/** Notifications to replay, and no more where people are sampled. */
export const expectedOf = ({ permyriad, notifications }: Sampled): number =>
  permyriad === null ? notifications : Math.floor((notifications * permyriad) / 10_000);

export function sampleOf({ permyriad, notifications }: Sampled): Backtest["sample"] {
  if (permyriad === null) return null;
  const percent = permyriad / 100;
  const count = new Intl.NumberFormat("en-US").format(notifications);
  const about = notifications > backtestLimits.countedNotifications ? "about " : "";
  const sentence = `Of ${about}${count} notifications, those of ${percent} % of the people are replayed`;
  return { percent, notifications, sentence };
}

type Person = { count: number };

/** The first people, with at most `room` notifications together. `isCut`: others do not fit in. */
export function fittingPeople<P extends Person>(people: P[], room: number): { fitting: P[]; isCut: boolean } {
  let count = 0;
  const end = people.findIndex((person) => {
    count += person.count;
    return count > room;
  });
  return { fitting: end < 0 ? people : people.slice(0, end), isCut: end >= 0 };
}
