// What subscribers chose. Tidings says for each channel who decided. Novu shows the merged result for each workflow and
// calls all of it the subscriber's, so only what differs from the result here is a choice: to write all of it would
// freeze the defaults.
import type { Channel, SubscriberPreferences } from "@tidings/contract";
import { count, noteOnce } from "./report.ts";
import { attempt, isSame } from "./requests.ts";
import { type Import, unwrap } from "./source.ts";

type Choices = Partial<Record<Channel, boolean>>;
type Entry = SubscriberPreferences["workflows"][number];

export async function importPreferences(given: Import, subscriberId: string): Promise<void> {
  const { source, target, report } = given;
  const params = { subscriberId };
  const wanted = unwrap(await source.subscribers.retrievePreferences({ params })) as SubscriberPreferences;
  const readTarget = () => target.subscribers.retrievePreferences({ params, query: { criticality: "all" } });
  let stored = await readTarget();
  if (await writeGlobal(given, subscriberId, wanted.global, stored.global)) stored = await readTarget();
  if (report.source === "novu")
    noteOnce(
      report,
      "preferences: only choices that differ from the defaults were imported; Novu does not report who made them",
    );
  for (const entry of wanted.workflows ?? []) {
    const { identifier } = entry.workflow;
    const former = stored.workflows.find(({ workflow }) => workflow.identifier === identifier);
    const chosen = report.source === "novu" ? differingChoices(entry, former) : ownChoices(entry);
    if (Object.keys(chosen).length === 0) continue;
    if (former && isSame(chosen, pick(ownChoices(former), chosen))) {
      count(report.unchanged, "preferences");
      continue;
    }
    const body = { workflowId: identifier, channels: chosen };
    const isDone = await attempt(report, `preference of ${subscriberId} for ${identifier}`, () =>
      target.subscribers.updatePreferences({ params, body }),
    );
    if (isDone) count(report.updated, "preferences");
  }
}

/**
 * Only refusals: a response does not distinguish a channel that the subscriber wants from one that was never chosen.
 */
async function writeGlobal(
  { target, report }: Import,
  subscriberId: string,
  wanted: SubscriberPreferences["global"] | undefined,
  stored: SubscriberPreferences["global"],
): Promise<boolean> {
  const refused = Object.entries(wanted?.channels ?? {}).filter(([, isOn]) => isOn === false);
  const channels = Object.fromEntries(refused) as Choices;
  const { schedule } = wanted ?? {};
  if (refused.length === 0 && !schedule) return false;
  const hasSchedule = !schedule || isSame(schedule, stored.schedule);
  if (hasSchedule && isSame(channels, pick(stored.channels, channels))) {
    count(report.unchanged, "preferences");
    return false;
  }
  const body = { channels, ...(schedule && { schedule }) };
  const isDone = await attempt(report, `preferences of ${subscriberId}`, () =>
    target.subscribers.updatePreferences({ params: { subscriberId }, body }),
  );
  if (isDone) count(report.updated, "preferences");
  return isDone;
}

function ownChoices({ channels, overrides = [] }: Entry): Choices {
  const own = new Set<string>(overrides.filter(({ source }) => source === "subscriber").map(({ channel }) => channel));
  return Object.fromEntries(Object.entries(channels).filter(([name]) => own.has(name)));
}

/**
 * A workflow that is not here has no result to compare with: what the subscriber refuses there is reported by the
 * request.
 */
function differingChoices({ channels }: Entry, former: Entry | undefined): Choices {
  const result: Choices = former?.channels ?? {};
  return Object.fromEntries(
    Object.entries(channels).filter(([name, isOn]) => isOn !== (result[name as Channel] ?? true)),
  );
}

const pick = (choices: Choices, names: Choices): Choices =>
  Object.fromEntries(Object.entries(choices).filter(([name]) => Object.hasOwn(names, name)));
