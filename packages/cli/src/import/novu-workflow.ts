// A workflow of Novu with the values that mean the same here. Whatever is written differently is listed.
import type { Workflow } from "@tidings/contract";
import { isJsonObject, type JsonObject } from "@tidings/contract";
import { translateRule } from "./novu-rules.ts";
import { type ImportReport, noteOnce } from "./report.ts";

type Step = Workflow["steps"][number];
type Values = JsonObject;

/** Why a workflow cannot come over; null when it can. */
export function hindranceOf({ origin }: Pick<Workflow, "origin">): string | null {
  if (origin === "external") return "its steps are code in your application; register that again";
  if ((origin as string).endsWith("-v1"))
    return "a classic workflow, whose content the API of Novu does not show; create it again";
  return null;
}

/**
 * The control values of a step, as Tidings understands them. Throws UnknownOperatorError for a condition that it does
 * not have.
 */
export function adaptValues(report: ImportReport, where: string, { type }: Pick<Step, "type">, values: Values): Values {
  const note = (line: string) => report.changed.push(`${where}: ${line}`);
  const adapted = { ...values };
  adaptCondition(adapted, note);
  if (type === "email" && typeof adapted.layoutId !== "string") {
    adapted.layoutId = null;
    note("uses no layout, as in Novu; here an email that names none would get the default layout");
  }
  if (type === "digest" && adapted.type === undefined && typeof adapted.cron === "string" && adapted.cron !== "") {
    adapted.type = "timed";
    note("is a timed digest: Novu recognizes it by its cron expression, Tidings by `type`");
  }
  if (["email", "in_app"].includes(type) && JSON.stringify(values).includes("{{"))
    noteOnce(
      report,
      "emails and in-app messages: values are escaped in HTML here; write `| raw` where one contains HTML",
    );
  return adapted;
}

function adaptCondition(values: Values, note: (line: string) => void): void {
  const { skip } = values;
  delete values.skip;
  if (!isJsonObject(skip) || Object.keys(skip).length === 0) return;
  const { rule, notes } = translateRule(skip);
  values.skip = { "!": [rule] };
  note("its condition is negated: Novu runs a step when the rule is true, Tidings skips it");
  for (const line of notes) note(`its condition: ${line}`);
}

/** Novu skips what comes outside the hours of the subscriber; by default, Tidings holds it. */
export const novuSettings = { outsideSchedule: "skip" } as const;

export const novuSettingsNote =
  "workflows: `outsideSchedule` is `skip`, as in Novu: channel steps outside the subscriber's schedule are dropped; `hold` sends them later";
