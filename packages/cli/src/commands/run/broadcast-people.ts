// Who gets a broadcast and what they would see, who has got it, and a draft for some of them again.
import type { AudiencePerson, BroadcastOutcome } from "@tidings/contract";
import { numberOption, textOption } from "../../arguments.ts";
import { plainText } from "../../output.ts";
import { personCells } from "./audiences.ts";
import type { Opened } from "./broadcast-draft.ts";
import { printBroadcast, printPreviews, printResults } from "./broadcast-view.ts";

export async function preview({ call, tidings, params }: Opened): Promise<void> {
  const subscriberIds = call.args.slice(2);
  const body = subscriberIds.length > 0 ? { subscriberIds } : {};
  const { data } = await tidings.broadcasts.preview({ params, body });
  printPreviews(call.out, data);
  call.out.json(data);
}

export async function results({ call, tidings, params }: Opened): Promise<void> {
  const found = await tidings.broadcasts.retrieveResults({ params });
  printResults(call.out, found);
  call.out.json(found);
}

/** The service refuses an unknown one, and names those that exist. */
const outcomeOf = ({ call }: Opened): BroadcastOutcome | undefined =>
  textOption(call.values, "outcome") as BroadcastOutcome | undefined;

/** A page may have fewer people than asked for, or none, although more follow. */
export async function people(opened: Opened): Promise<void> {
  const { call, tidings, params } = opened;
  const { out } = call;
  const limit = numberOption(call.values, "limit", { least: 1, most: 100, otherwise: 20 });
  const found: AudiencePerson[] = [];
  let after: string | undefined;
  do {
    const query = { outcome: outcomeOf(opened), limit: limit - found.length, after };
    const page = await tidings.broadcasts.listPeople({ params, query });
    found.push(...page.data);
    after = page.next ?? undefined;
  } while (after !== undefined && found.length < limit);
  if (found.length === 0) out.line("No people.");
  else out.table(["subscriber", "name", "email", "locale", "time zone"], found.map(personCells));
  if (after !== undefined) out.line(out.style("dim", "There are more; --limit shows up to 100."));
  out.json(found);
}

/** Copying a million people takes about half a minute; the service gives up after one. */
const copyMs = 90_000;

export async function resend(opened: Opened): Promise<void> {
  const { call, tidings, params } = opened;
  const outcome = outcomeOf(opened) ?? "not_opened";
  await call.confirm(`Create a draft for the people of ${params.broadcastId}: ${plainText(outcome)}`);
  const created = await tidings.broadcasts.resend({ params, body: { outcome }, timeout: copyMs });
  printBroadcast(call.out, created);
  call.out.line(call.out.style("dim", `tidings broadcasts send ${created._id}`));
  call.out.json(created);
}
