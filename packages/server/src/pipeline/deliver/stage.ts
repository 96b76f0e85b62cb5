// Stage 4: what leaves the building. Every call to a provider is recorded before it is made (deliver/prepare.ts) and after
// it returned; the retry decision is deliver/retry.ts; the result settles message, job and attempt in one transaction
// together with the task that follows from it (outcome.ts). A slow provider holds up nobody else: deliver/calls.ts.
import { type Outcome, send } from "@tidings/providers";
import type { Ctx, NetworkCtx } from "../../context.ts";
import { isDatabaseUnavailable } from "../../store/db.ts";
import { type IntegrationRow, showIntegration } from "../../store/integrations/integrations.ts";
import { ClaimLost } from "../../store/queue/queue.ts";
import { transact } from "../batch.ts";
import type { DeliverTask } from "../tasks.ts";
import { createCalls } from "./calls.ts";
import type { Send } from "./plan.ts";
import { prepare } from "./prepare.ts";
import { nameOf } from "./receipts.ts";
import { type Settled, settle } from "./settle.ts";

/** Tasks taken at once: few enough that a worker seldom waits for room, many enough to share their queries. */
export const deliverBatch = ({ config }: Ctx): number => Math.max(1, Math.floor(config.delivery.window / 8));

/** How long a finished send may wait for others before its result is written: they then share a transaction. */
const gatherMs = 50;

/** The database has to be away this long before a message that was sent is given back, to be sent again. */
const writeRounds = 10;
const writePauseMs = 1_000;

export const createDeliver = (ctx: NetworkCtx) =>
  createCalls<DeliverTask, Send, Settled>(ctx, {
    kind: "deliver",
    window: ctx.config.delivery.window,
    batch: deliverBatch(ctx),
    gatherMs,
    prepare,
    placeOf: ({ message, integration }) => ({ environmentId: message.environment_id, lane: integration.id }),
    startOf: ({ startAt }) => startAt,
    call: (one) =>
      one.attemptId === null
        ? { ...one, outcome: null }
        : callProvider(ctx, one).then((outcome) => ({ ...one, outcome })),
    write: (group) => write(ctx, group),
  });

/**
 * Writing again is better than sending again. What cannot be written goes to another worker once its claim has lapsed,
 * as an attempt whose outcome is unknown.
 */
async function write(ctx: Ctx, group: Settled[]): Promise<void> {
  for (let round = 1; ; round++) {
    try {
      return await transact(ctx, (tx) => settle(tx, group));
    } catch (error) {
      // One result that the database does not take must not keep back the others.
      if (group.length > 1 && !isDatabaseUnavailable(error)) {
        await Promise.all(group.map((one) => write(ctx, [one])));
        return;
      }
      // Another worker has the message; for it, this attempt is one whose outcome is unknown.
      if (error instanceof ClaimLost) return;
      if (round === writeRounds) {
        ctx.metrics.taskFailures.inc({ kind: "deliver" }, group.length);
        ctx.log.error(
          { err: error, tasks: group.map(({ task }) => task.id) },
          "the result of a delivery could not be written",
        );
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, writePauseMs));
    }
  }
}

/** Never rejects: one message must not take the results of its neighbours with it. */
async function callProvider(ctx: NetworkCtx, { integration, content, credentials }: Send): Promise<Outcome> {
  if (integration.is_hidden) await takeUp(ctx, integration);
  if (!credentials) return refused("the stored credentials cannot be read");
  if (!content) return refused("the message cannot be put together from what is stored of it");
  try {
    const outcome = storable(await send(integration.provider_id, content, credentials, ctx.io));
    ctx.metrics.attempts.inc({ provider: integration.provider_id, outcome: outcome.kind });
    return outcome;
  } catch (error) {
    ctx.log.error({ err: error, provider: integration.provider_id }, "a provider adapter failed");
    return { kind: "unknown", reason: "the provider adapter failed" };
  }
}

/** The first message through a hidden integration shows it. Where this cannot be written, the next message tries again. */
const takeUp = (ctx: Ctx, { environment_id, id }: IntegrationRow): Promise<void> =>
  showIntegration(ctx.db, environment_id, id).catch((error) =>
    ctx.log.warn({ err: error, integrationId: id }, "an integration that is in use could not be marked so"),
  );

const refused = (reason: string): Outcome => ({ kind: "rejected", class: "config", reason, isUnasked: true });

/** An event can ask for as many things that a provider does not have as it has room for. */
const mostNotes = 20;

/** Servers answer with any bytes they like; the database does not take all of them in a text, nor an id of any length. */
const storable = (outcome: Outcome): Outcome =>
  outcome.kind === "accepted"
    ? {
        ...outcome,
        providerMessageId: nameOf(outcome.providerMessageId),
        notTaken: outcome.notTaken?.map(storableText),
        notes: outcome.notes
          ?.slice(0, mostNotes)
          .map((note) => ({ ...note, name: storableText(note.name).slice(0, 200) })),
      }
    : { ...outcome, reason: storableText(outcome.reason) };

const storableText = (text: string): string => text.replace(/\p{Cc}+/gu, " ").toWellFormed();
