// What a broadcast did: people by outcome, why some were not reached, the variants of its experiments.
import type { BroadcastResults, Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { isUuid } from "../../lib/ids.ts";
import { isObject } from "../../lib/json.ts";
import { causeSentence } from "../../pipeline/broadcasts/check-words.ts";
import { ignoredDetails } from "../../pipeline/rules/step-outcome-text.ts";
import { loadVersions } from "../../pipeline/run/versions.ts";
import type { BroadcastRow } from "../../store/broadcasts/broadcasts.ts";
import {
  type CauseRow,
  listPeopleWith,
  type PersonRow,
  type ResultEvent,
  type VariantCount,
} from "../../store/broadcasts/results.ts";
import { findEvents } from "../../store/events/events.ts";
import { listCategories } from "../../store/subscribers/categories.ts";
import type { StoredStep } from "../../store/workflows/workflows.ts";
import { peekNow } from "../environments/clock.ts";
import { requireBroadcast } from "./broadcasts.ts";
import { countAllResults } from "./result-counts.ts";

export async function retrieveResults(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"broadcasts.retrieveResults">,
): Promise<Output<"broadcasts.retrieveResults">> {
  const { environmentId } = caller;
  const { event, steps } = await requireResults(ctx, environmentId, params.broadcastId);
  // The error of the provider says more than that the message became a dead letter.
  const ignored = [...ignoredDetails(), "dead_letter"];
  const counts = await countAllResults(ctx, { environmentId, event, ignored, now: await peekNow(ctx, caller) });
  return {
    counted: counts.people,
    isCapped: counts.isCapped,
    outcomes: counts.outcomes,
    causes: counts.causes.map((cause) => toCause(cause, steps[cause.step_index])),
    variants: counts.variants.flatMap((variant) => toVariant(variant, steps)),
    countedAt: counts.countedAt.toISOString(),
  };
}

export async function listPeople(
  ctx: Ctx,
  { environmentId }: Caller,
  { params, query }: Input<"broadcasts.listPeople">,
): Promise<Output<"broadcasts.listPeople">> {
  const { outcome, after = null, limit = 20 } = query;
  if (after !== null && !isUuid(after)) {
    throw invalid({ after: { messages: ["after must be `next` of the page before"], value: after } });
  }
  const { event } = await requireResults(ctx, environmentId, params.broadcastId);
  const people: PersonRow[] = [];
  let last = after;
  // A page of runs may have no people with the outcome, so pages are read until the list is full or time is up.
  const deadline = performance.now() + searchMs;
  do {
    const page = await listPeopleWith(ctx.db, environmentId, event, {
      ...{ outcome, after: last, limit: limit + 1 - people.length },
    });
    people.push(...page.people);
    last = page.last;
  } while (people.length <= limit && last !== null && performance.now() < deadline);
  const shown = people.slice(0, limit);
  return { data: shown.map(toPerson), next: people.length > limit ? shown.at(-1)!.id : last };
}

/** After this time, a page has fewer people than were asked for, and says where the next one begins. */
const searchMs = 5_000;

type Results = { row: BroadcastRow; event: ResultEvent; steps: StoredStep[] };

/** 409 for a broadcast that was not sent. `steps`: as its jobs number them. */
export async function requireResults(ctx: Ctx, environmentId: string, broadcastId: string): Promise<Results> {
  const row = await requireBroadcast(ctx, environmentId, broadcastId);
  const { event_id: eventId, status } = row;
  if (eventId === null) {
    throw failure("BROADCAST_STATE", { broadcastId, status, fix: "it has results when it has been sent" });
  }
  const [event] = await findEvents(ctx.db, environmentId, [eventId]);
  const version = event && (await loadVersions(ctx, [event.workflow_version_id])).get(event.workflow_version_id);
  const categories = version?.definition.categoryId ? await listCategories(ctx.db, environmentId) : [];
  const category = categories.find((one) => one.category_id === version?.definition.categoryId);
  const choiceIds = [event?.workflow_id, category?.id].filter((id) => id !== undefined);
  return {
    row,
    event: { eventId, choiceIds, since: row.started_at ?? row.updated_at },
    steps: version?.definition.steps.filter((step) => step.active) ?? [],
  };
}

type Cause = BroadcastResults["causes"][number];

const toCause = ({ kind, reason, type, people, example }: CauseRow, step: StoredStep | undefined): Cause => ({
  kind,
  reason,
  sentence: causeSentence({ reason, type, people, example: kind === "failed" ? example : null }),
  stepId: step?.stepId ?? null,
  people,
});

function toVariant({ step_id, variant, people, outcomes }: VariantCount, steps: StoredStep[]) {
  const step = steps.find(({ id }) => id === step_id);
  if (!step) return [];
  const { variants } = step.controlValues;
  const own = Array.isArray(variants) ? variants.find((one) => isObject(one) && one.id === variant) : undefined;
  const name = isObject(own) && typeof own.name === "string" && own.name !== "" ? own.name : null;
  return [{ stepId: step.stepId, variant, name, people, outcomes }];
}

const toPerson = (row: PersonRow) => ({
  subscriberId: row.subscriber_id,
  firstName: row.first_name,
  lastName: row.last_name,
  email: row.email,
  locale: row.locale,
  timezone: row.timezone,
});
