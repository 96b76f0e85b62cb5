// A saved plan: what should be, and the state of the environment that it was created for. The files may change
// afterwards; what is applied is what was planned.
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type FilesPlan, isJsonObject } from "@tidings/contract";
import { CliError } from "../failure.ts";
import type { Session } from "../session.ts";
import type { Wanted } from "./remote.ts";

type SavedPlan = {
  format: "tidings-plan-1";
  environment: { id: string; identifier: string };
  wanted: Wanted;
  plan: FilesPlan;
};

const maxPlanBytes = 128 * 1024 * 1024;

export function savePlan(file: string, { environment }: Session, wanted: Wanted, plan: FilesPlan): void {
  const saved: SavedPlan = {
    format: "tidings-plan-1",
    environment: { id: environment._id, identifier: environment.identifier },
    wanted,
    plan,
  };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(saved)}\n`, { mode: 0o600 });
}

export function loadPlan(file: string, { environment }: Session): SavedPlan {
  let saved: unknown;
  try {
    if (statSync(file).size > maxPlanBytes) throw new Error("it is too large");
    saved = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new CliError(`${file} cannot be read as a plan: ${(error as Error).message}.`, {
      fix: "tidings plan --out <file>",
    });
  }
  if (!isJsonObject(saved) || saved.format !== "tidings-plan-1")
    throw new CliError(`${file} is not a plan of this version of the command line.`, {
      fix: "tidings plan --out <file>",
    });
  const plan = saved as SavedPlan;
  if (plan.environment.id !== environment._id)
    throw new CliError(
      `The plan was created for ${plan.environment.identifier}, and this is ${environment.identifier}. Nothing was applied.`,
      { fix: `Add --env ${plan.environment.identifier}.` },
    );
  return plan;
}
