// Is it us, or the provider? One sentence about the failures of a time, from the figures by provider. Pure.
import type { Output } from "@tidings/contract";
import { countMessages, formatAge } from "../../health/outage.ts";
import { words } from "./words.ts";

type Statistics = Output<"statistics.list">;
type Totals = Statistics["totals"];
export type ProviderFigures = NonNullable<Statistics["breakdown"]>["providers"][number];

export type Judgement = { tone: "good" | "warn" | "bad" | "info"; title: string; text?: string };

/** Shares that differ by no more than this are called alike. */
const alikeFactor = 3;
/** Shorter waits come from retries. */
const longWaitMs = 60_000;
/** The share of all failures that counts as most of them; the rest is mentioned as well. */
const mostOf = 0.8;

export const shareOf = ({ sent, refused }: Pick<ProviderFigures, "sent" | "refused">): number =>
  sent + refused === 0 ? 0 : refused / (sent + refused);

export const heldOf = ({ held }: Pick<Totals, "held">): number =>
  held ? held.rolledUp + held.dropped + held.delayed : 0;

/** What waits comes first: nothing of it has failed yet, and nothing of it has arrived. */
export function judge(
  totals: Totals,
  providers: readonly ProviderFigures[],
  /** "the last 24 hours" */
  time: string,
  nameOf: (provider: ProviderFigures) => string,
  waiting?: Statistics["waiting"],
  now: number = Date.now(),
): Judgement {
  const judged = judgeEnded(totals, providers, time, nameOf);
  if (!waiting || waiting.count === 0) return judged;
  const [first] = waiting.providers;
  const isOneChannel = waiting.providers.every(({ channel }) => channel === first!.channel);
  const messages = countMessages(isOneChannel ? first!.channel : "in_app", waiting.count);
  const ageMs = waiting.oldestAt ? now - Date.parse(waiting.oldestAt) : 0;
  const failing = providers.filter(({ failedAttempts }) => failedAttempts > 0);
  const attempts = failing.map((one) => words.judgement.attempts(nameOf(one), one.failedAttempts));
  const ended = judged.tone === "good" || judged.tone === "info" ? [] : [judged.title];
  const text = [...attempts, ...ended, ...(judged.text ? [judged.text.replace(/\.$/, "")] : [])].join(". ");
  return {
    tone: judged.tone === "bad" || ageMs >= longWaitMs ? "bad" : "warn",
    title: words.judgement.waiting(messages, waiting.count, formatAge(ageMs)),
    text: text === "" ? undefined : `${text}.`,
  };
}

function judgeEnded(
  totals: Totals,
  providers: readonly ProviderFigures[],
  time: string,
  nameOf: (provider: ProviderFigures) => string,
): Judgement {
  const { sent, captured, failed, refused } = totals;
  const skipped = Object.values(totals.skipped).reduce((sum, count) => sum + count, 0);
  const say = words.judgement;
  if (sent + failed === 0 && captured > 0) return { tone: "info", title: say.onlyCaptured(time, captured) };
  if (sent + failed === 0)
    return { tone: "info", title: say.nothing(time), text: skipped > 0 ? say.skipped(skipped) : undefined };
  if (failed === 0) {
    const text = captured > 0 ? say.alsoCaptured(captured) : undefined;
    return { tone: "good", title: say.noFailure(time, sent), text };
  }
  if (refused === 0) return { tone: "warn", title: say.ours(time, failed), text: say.oursText };

  const guilty = providers.filter((one) => one.refused > 0).sort((a, b) => b.refused - a.refused);
  const first = guilty[0]!;
  const part = (one: ProviderFigures) => say.part(nameOf(one), one.refused, one.sent + one.refused);
  const others = [
    ...guilty.slice(1).map(part),
    ...providers
      .filter((one) => one.refused === 0 && one.channel === first.channel)
      .map((one) => say.fine(nameOf(one), one.sent)),
    ...(failed > refused ? [say.before(failed - refused)] : []),
  ];
  const text = others.length > 0 ? `${others.join(". ")}.` : undefined;
  const asked = first.sent + first.refused;
  if (guilty.length === 1 && failed === refused)
    return { tone: "bad", title: say.all(time, nameOf(first), first.refused, asked), text };
  if (first.refused >= mostOf * failed)
    return { tone: "bad", title: say.most(time, nameOf(first), first.refused, asked), text };
  const shares = guilty.map(shareOf);
  if (guilty.length > 1 && Math.max(...shares) <= alikeFactor * Math.min(...shares))
    return {
      tone: "warn",
      title: say.alike(time, guilty.map(nameOf)),
      text: `${guilty.map(part).join(". ")}. ${say.alikeText}`,
    };
  return {
    tone: "bad",
    title: say.several(time, failed),
    text: [...guilty.slice(0, 1).map(part), ...others].join(". ").concat("."),
  };
}
