// What a budget would have done to the messages of the last days.
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { readBudgets } from "./read-budgets.ts";

export async function forecast(
  ctx: Ctx,
  _caller: Caller,
  { body }: Input<"attention.forecast">,
): Promise<Output<"attention.forecast">> {
  readBudgets(body.budgets);
  const now = ctx.now().toISOString();
  return { from: now, to: now, isPartial: false, channels: [], workflows: [], sentences: [] };
}
