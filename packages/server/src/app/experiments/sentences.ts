// What the numbers of a variant show, in a sentence: the difference to the first variant with its interval, or that the
// difference is not shown yet, and how many more people that would need.
import type { ExperimentFigure } from "@tidings/contract";
import { isShown, newcombe, type Proportion, peopleNeeded, shareOf, wilson } from "../../lib/proportions.ts";

/** `name` as in “Variant b”. */
export type Group = { name: string; people: Proportion };

const deeds: Record<ExperimentFigure["figure"], string> = {
  sent: "were sent a message",
  delivered: "had a message delivered",
  opened: "opened a message",
  clicked: "clicked",
  read: "read a message in the inbox",
  goal: "reached the goal",
};

export const deedOf = (figure: ExperimentFigure["figure"], goal?: string): string =>
  goal === undefined ? deeds[figure] : `${deeds[figure]} ${goal}`;

/** One decimal, or the first digit of what would be 0 otherwise: a bound that is not 0 must not read as 0. */
export function hundredths(share: number): string {
  const value = share * 100;
  const rounded = Number(value.toFixed(1));
  const shown = rounded === 0 && value !== 0 ? Number(value.toPrecision(1)) : rounded;
  const digits = String(Math.abs(shown)).includes("e") ? Math.abs(shown).toFixed(12) : String(Math.abs(shown));
  return shown < 0 ? `−${digits}` : digits;
}

const twoDigits = (count: number): number => {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1);
  return Math.ceil(count / unit) * unit;
};

const maxNeeded = 10_000_000;

function neededText(needed: number | null): string {
  if (needed === null || needed === 0) return "";
  if (needed > maxNeeded) return " With the present shares, more than 10 million more people are needed.";
  const people = twoDigits(needed).toLocaleString("en");
  return ` With the present shares, about ${people} more ${needed === 1 ? "person is" : "people are"} needed.`;
}

/** About the variant that the others are compared with. */
export function sentenceAlone({ name, people }: Group, deed: string): string {
  if (people.total === 0) return `${name}: nobody yet.`;
  const { low, high } = wilson(people);
  return `${name}: ${hundredths(shareOf(people))} % ${deed}, between ${hundredths(low)} and ${hundredths(high)} %.`;
}

export function sentenceAgainst({ name, people }: Group, first: Group, deed: string): string {
  if (people.total === 0) return `${name}: nobody yet.`;
  if (first.people.total === 0) return `${name}: nothing to compare with, since nobody is in ${first.name} yet.`;
  const interval = newcombe(people, first.people);
  const shares = `${hundredths(shareOf(people))} % ${deed} against ${hundredths(shareOf(first.people))} %`;
  const bounds = `between ${hundredths(interval.low)} and ${hundredths(interval.high)} points`;
  if (isShown(interval)) return `${name}: ${shares}; the difference is ${bounds}.`;
  const needed = neededText(peopleNeeded(people, first.people));
  return `${name}: ${shares}. The difference is not shown yet: it is ${bounds}.${needed}`;
}
