// What a fault is: it begins, is held for a while, ends, and what it left behind is repaired.
import type { Random } from "@tidings/testkit/load/random";
import type { ChaosLoad } from "../parts.ts";
import type { ChaosStage, Member } from "../stage/stage.ts";

export type FaultContext = {
  stage: ChaosStage;
  load: Pick<ChaosLoad, "setMood">;
  target: string;
  /** How long it is held. */
  seconds: number;
  /** For this fault alone, so that faults before it do not change what it does. */
  random: Random;
};

export type Begun = {
  end(): Promise<void> | void;
  /** After the end, what an operator or the supervisor does. */
  repair?(): Promise<void>;
  /** What was seen, asked for after the end. */
  detail?(): string;
};

export type Fault = {
  about: string;
  /** Throws if it cannot be injected here: the message is the problem. */
  begin(context: FaultContext): Promise<Begun> | Begun;
};

/** The processes that a fault is about. */
export function membersOf({ stage, target }: Pick<FaultContext, "stage" | "target">): Member[] {
  const found = stage.members.filter(({ process }) => target === "all processes" || process.name === target);
  if (found.length === 0) throw new Error(`there is no process ${target}`);
  return found;
}

export function memberOf(context: Pick<FaultContext, "stage" | "target">): Member {
  return membersOf(context)[0]!;
}

/** A problem that `throw` makes known. */
export function requireNo(problem: string | null): void {
  if (problem) throw new Error(problem);
}
