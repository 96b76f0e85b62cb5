// Compares the messages that were sent with those that a scenario expects: each expected one with its own message.
import type { Channel, ScenarioMessage, ScenarioStep } from "@tidings/contract";
import { formatOffset, parseDuration } from "../time.ts";

export type SentMessage = {
  to: string;
  channel: Channel;
  /** Milliseconds from the start of the scenario. */
  atMs: number;
  subject: string;
  body: string;
  links: string[];
  codes: string[];
};

export type Difference = { field: string; expected: string; actual: string };

export type Mismatch =
  | { kind: "missing"; expected: ScenarioMessage; nearest?: { message: SentMessage; differences: Difference[] } }
  | { kind: "unexpected"; message: SentMessage }
  /** `differences`: null where no run has the step. */
  | { kind: "step"; expected: ScenarioStep; differences: Difference[] | null };

/** Milliseconds from the start of a scenario. */
export const momentMs = (moment: string, startMs: number): number =>
  moment.startsWith("+") ? parseDuration(moment)! : Date.parse(moment) - startMs;

export function compareMessages(
  expected: readonly ScenarioMessage[],
  sent: readonly SentMessage[],
  startMs: number,
): Mismatch[] {
  const differences = expected.map((one) => sent.map((message) => differencesOf(one, message, startMs)));
  const ownerOf = assign(differences);
  const taken = new Set(ownerOf.values());
  const missing = expected.flatMap((one, at): Mismatch[] => {
    if (taken.has(at)) return [];
    const free = sent.flatMap((message, index) => {
      const found = differences[at]![index];
      return found && !ownerOf.has(index) ? [{ message, differences: found, index }] : [];
    });
    const [nearest] = free.toSorted((a, b) => a.differences.length - b.differences.length);
    if (nearest) ownerOf.set(nearest.index, at);
    return [{ kind: "missing", expected: one, ...(nearest && { nearest }) }];
  });
  const unexpected = sent.flatMap((message, index): Mismatch[] =>
    ownerOf.has(index) ? [] : [{ kind: "unexpected", message }],
  );
  return [...missing, ...unexpected];
}

/**
 * Which message meets which expectation, by index of the message: as many as possible. An expectation that says
 * little must not take the only message that another one accepts, so a taken message is given up when its owner can
 * have another.
 */
function assign(differences: (Difference[] | null)[][]): Map<number, number> {
  const ownerOf = new Map<number, number>();
  const place = (at: number, tried: Set<number>): boolean =>
    differences[at]!.some((found, index) => {
      if (found === null || found.length > 0 || tried.has(index)) return false;
      tried.add(index);
      const owner = ownerOf.get(index);
      if (owner !== undefined && !place(owner, tried)) return false;
      ownerOf.set(index, at);
      return true;
    });
  differences.forEach((_, at) => void place(at, new Set()));
  return ownerOf;
}

/** Null: another subscriber or channel, not to be compared. */
function differencesOf(expected: ScenarioMessage, message: SentMessage, startMs: number): Difference[] | null {
  if (expected.to !== message.to || expected.channel !== message.channel) return null;
  const found: Difference[] = [];
  const add = (field: string, wanted: string, actual: string) => void found.push({ field, expected: wanted, actual });
  if (expected.at !== undefined && !isAt(expected.at, message.atMs, startMs))
    add("at", describeTime(expected.at), formatOffset(message.atMs));
  for (const field of ["subject", "body"] as const) {
    const wanted = expected[field];
    if (wanted !== undefined && !isText(wanted, message[field])) add(field, describeText(wanted), message[field]);
  }
  const { code, links = [] } = expected;
  if (code !== undefined && !message.codes.some((one) => isText(code, one)))
    add("code", describeText(code), message.codes.join(", ") || "no code");
  const absent = links.filter((link) => !message.links.includes(link));
  if (absent.length > 0) add("links", absent.join("\n"), message.links.join("\n") || "no links");
  return found;
}

function isAt(expected: NonNullable<ScenarioMessage["at"]>, atMs: number, startMs: number): boolean {
  if (typeof expected === "string") return momentMs(expected, startMs) === atMs;
  return momentMs(expected.from, startMs) <= atMs && atMs <= momentMs(expected.to, startMs);
}

type TextMatcher = NonNullable<ScenarioMessage["subject"]>;

export function isText(expected: TextMatcher, actual: string): boolean {
  if (typeof expected === "string") return expected.trim() === actual.trim();
  return "contains" in expected ? actual.includes(expected.contains) : new RegExp(expected.matches, "su").test(actual);
}

export const describeText = (expected: TextMatcher): string =>
  typeof expected === "string"
    ? expected
    : "contains" in expected
      ? `contains "${expected.contains}"`
      : `matches /${expected.matches}/`;

const describeTime = (expected: NonNullable<ScenarioMessage["at"]>): string =>
  typeof expected === "string" ? expected : `${expected.from} to ${expected.to}`;
