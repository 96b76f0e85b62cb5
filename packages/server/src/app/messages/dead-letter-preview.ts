// What a replay of dead letters would do: how many messages would be sent, and why others would not, or not at once.
import { type Input, lettersPerReplay, type Output, type PreviewReason, previewedLetters } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { normalizeAddress } from "../../lib/addresses.ts";
import { createAddressHashes } from "../../lib/suppression-hash.ts";
import { selectionOf } from "../../pipeline/deliver/replay.ts";
import { type IntegrationRow, listHealth, listIntegrations } from "../../store/integrations/integrations.ts";
import { measureLetters, type PreviewedLetter, previewLetters } from "../../store/messages/dead-letter-replays.ts";
import { findSuppressedAmong } from "../../store/subscribers/suppressions.ts";
import { storedFilter } from "./dead-letter-replays.ts";
import { checkSelection, requireSender } from "./dead-letters.ts";

const texts: Record<PreviewReason, (integration: string) => string> = {
  message_gone: () => "Nothing is sent: the message was deleted, or was sent meanwhile. They do not change.",
  canceled: () => "Nothing is sent: the workflow or the subscriber was deleted. The messages are canceled.",
  suppressed: () =>
    "Nothing is sent: the address is suppressed after a bounce, a complaint or a request. The messages fail.",
  integration_inactive: (name) => `They are left out and stay open: the integration ${name} is switched off.`,
  circuit_open: (name) =>
    `They wait: the circuit breaker of ${name} is open after failures in a row, and closes with the first success.`,
  other_channel: (name) => `They are left out and stay open: ${name} sends another channel.`,
};

type Verdict = { reason: PreviewReason; integration?: string } | null;

export async function preview(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"deadLetterReplays.preview">,
): Promise<Output<"deadLetterReplays.preview">> {
  checkSelection(body);
  const { environmentId } = caller;
  const sender = body.integrationIdentifier ? await requireSender(ctx, caller, body.integrationIdentifier) : undefined;
  const selection = selectionOf(storedFilter(body), sender?.channel);
  const { total } = await measureLetters(ctx.db, environmentId, selection, lettersPerReplay);
  const letters = await previewLetters(ctx.db, environmentId, selection, previewedLetters);
  const judge = await createJudge(ctx, environmentId, letters, sender);
  const counts = new Map<string, { reason: PreviewReason; integration?: string; count: number }>();
  let willBeSent = 0;
  for (const letter of letters) {
    const verdict = judge(letter);
    if (!verdict) willBeSent++;
    if (!verdict) continue;
    const key = `${verdict.reason} ${verdict.integration ?? ""}`;
    counts.set(key, { ...verdict, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const others = [...counts.values()]
    .sort((a, b) => b.count - a.count)
    .map(({ reason, integration, count }) => ({
      reason,
      count,
      text: texts[reason](integration ?? ""),
      integrationIdentifier: integration,
    }));
  return { total, examined: letters.length, willBeSent, others };
}

/** The reasons in the order in which the delivery finds them. */
async function createJudge(
  ctx: Ctx,
  environmentId: string,
  letters: PreviewedLetter[],
  sender: IntegrationRow | undefined,
): Promise<(letter: PreviewedLetter) => Verdict> {
  const active = (await listIntegrations(ctx.db, environmentId)).filter((one) => one.active);
  const health = await listHealth(ctx.db, environmentId);
  const open = new Set(health.flatMap((row) => (row.state === "closed" ? [] : row.integration_id)));
  const addresses = letters.flatMap(({ address }) => (address === null ? [] : normalizeAddress(address)));
  const suppressed = await findSuppressedAmong(
    ctx.db,
    environmentId,
    [...new Set(addresses)],
    createAddressHashes(ctx.secrets),
  );
  return ({ channel, integration_id, integration_identifier, address, is_gone, is_unwanted }) => {
    if (sender && sender.channel !== channel) return { reason: "other_channel", integration: sender.identifier };
    if (is_gone) return { reason: "message_gone" };
    if (is_unwanted) return { reason: "canceled" };
    if (address !== null && suppressed.has(`${channel} ${normalizeAddress(address)}`)) return { reason: "suppressed" };
    const canFailOver = channel === "email" || channel === "sms";
    const senders = active.filter((one) => (canFailOver ? one.channel === channel : one.id === integration_id));
    if (senders.length === 0) return { reason: "integration_inactive", integration: integration_identifier };
    if (senders.every(({ id }) => open.has(id))) return { reason: "circuit_open", integration: integration_identifier };
    return null;
  };
}
