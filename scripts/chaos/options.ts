// The options of `npm run chaos`.
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { FaultKind } from "../auditor/evidence.ts";
import { faultKinds, notEmbedded } from "./plan.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export type Options = {
  seed: number;
  /** How long the load lasts. */
  minutes: number;
  only: FaultKind[] | undefined;
  /** What PostgreSQL of this run does not allow. */
  except: FaultKind[];
  /** The PostgreSQL of `npm start` instead of two servers of Debian's. */
  isEmbedded: boolean;
  pace: number;
  /** Where evidence is kept. */
  folder: string;
  /** The tag or commit before, for the fault `upgrade`; the last tag by default. */
  before: string | undefined;
  isAudited: boolean;
  /** What is printed instead of a run. */
  prints: "list" | "plan" | null;
};

const shortMinutes = 5;
const longMinutes = 60;
const minMinutes = 0.25;
const maxMinutes = 24 * 60;
const maxPace = 100;

/** Throws with a sentence for the command line. */
export function readOptions(args: string[], now: Date): Options {
  const { values } = parseArgs({
    args,
    options: {
      long: { type: "boolean", default: false },
      minutes: { type: "string" },
      seed: { type: "string" },
      faults: { type: "string" },
      pace: { type: "string", default: "1" },
      keep: { type: "string" },
      before: { type: "string" },
      embedded: { type: "boolean", default: false },
      "no-audit": { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      plan: { type: "boolean", default: false },
    },
  });
  const seed = values.seed === undefined ? randomInt(2 ** 31) : numberOf("seed", values.seed, 0, 2 ** 32 - 1);
  if (!Number.isInteger(seed)) throw new Error("--seed must be a whole number");
  const minutes = values.minutes === undefined ? null : numberOf("minutes", values.minutes, minMinutes, maxMinutes);
  const only = values.faults === undefined ? undefined : readKinds(values.faults);
  const except = values.embedded ? notEmbedded : [];
  const impossible = only?.filter((kind) => except.includes(kind)) ?? [];
  if (impossible.length > 0) throw new Error(`--embedded has no ${impossible.join(" and no ")}: leave one of them out`);
  return {
    seed,
    minutes: minutes ?? (values.long ? longMinutes : shortMinutes),
    ...{ only, except, isEmbedded: values.embedded },
    pace: numberOf("pace", values.pace, 0.04, maxPace),
    folder: values.keep ?? join(root, "chaos-results", `${now.toISOString().slice(0, 10)}-${seed}`),
    before: values.before,
    isAudited: !values["no-audit"],
    prints: values.list ? "list" : values.plan ? "plan" : null,
  };
}

function numberOf(name: string, value: string, least: number, most: number): number {
  const number = Number(value);
  if (value.trim() !== "" && number >= least && number <= most) return number;
  throw new Error(`--${name} must be a number from ${least} to ${most}`);
}

/** An empty list is a run without faults. */
function readKinds(list: string): FaultKind[] {
  const kinds = list.split(",").filter(Boolean);
  const unknown = kinds.find((kind) => !(faultKinds as string[]).includes(kind));
  if (unknown) throw new Error(`there is no fault "${unknown}". Faults: ${faultKinds.join(", ")}`);
  return [...new Set(kinds)] as FaultKind[];
}
