// Issues of a layout: errors in its body that do not prevent saving. As those of steps, they are computed when it is
// read.
import type { Layout } from "@tidings/contract";
import type { VariableNames } from "../../../store/environments/variables.ts";
import type { LayoutRow } from "../../../store/workflows/layouts.ts";
import { layoutVariables } from "../variables.ts";
import { addIssue, bodyIssues } from "./step-issues.ts";
import { usesName } from "./template-names.ts";

export async function layoutIssues(
  row: Pick<LayoutRow, "control_values" | "is_translation_enabled">,
  env: VariableNames | null,
): Promise<Layout["issues"]> {
  const issues: NonNullable<NonNullable<Layout["issues"]>["controls"]> = {};
  const { body = "", editorType } = row.control_values.email ?? {};
  const template = await bodyIssues(issues, "email.body", body, editorType, layoutVariables(row, env));
  if (template !== null && !usesName(template, "content")) {
    addIssue(issues, "email.body", "MISSING_VALUE", "The body must contain {{content}}", "content");
  }
  return Object.keys(issues).length > 0 ? { controls: issues } : undefined;
}
