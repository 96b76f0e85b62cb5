// What publishing will do with each workflow and layout, decided before anything is written, and told afterwards.
import type { Input, PublishedResource, PublishResult } from "@tidings/contract";
import type { Publishable } from "../../store/environments/publishing.ts";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import type { Compared } from "./environment-diff.ts";

export type Verdict =
  | { kind: "created" | "updated" | "deleted"; one: Compared }
  | { kind: "skipped"; one: Named; reason: string }
  | { kind: "failed"; one: Named; reason: string };
type Named = Pick<Compared, "type" | "identifier" | "name">;
export type Selection = NonNullable<Input<"environments.publish">["body"]["resources"]>;

/** What will become of everything that is selected; all of it when nothing is. */
export function plan(compared: Compared[], target: Publishable, selection: Selection | undefined): Verdict[] {
  const wanted = selection && new Set(selection.map((one) => `${one.resourceType} ${one.resourceId}`));
  const chosen = wanted ? compared.filter((one) => wanted.has(`${one.type} ${one.identifier}`)) : compared;
  const newLayouts = new Set(chosen.filter((one) => one.type === "layout" && one.source).map((one) => one.identifier));
  const leaving = new Set(chosen.filter((one) => !one.source && one.type === "workflow").map((one) => one.identifier));
  const verdicts = chosen.map((one): Verdict => {
    const failed = (reason: string): Verdict => ({ kind: "failed", one, reason });
    if (!one.source) {
      if (!wanted)
        return { kind: "skipped", one, reason: "Exists only in the target; name it in resources to delete it" };
      const fault = one.type === "layout" ? keepingFault(one.target!.row as LayoutRow, target, leaving) : null;
      return fault ? failed(fault) : { kind: "deleted", one };
    }
    if (one.changes.length === 0) return { kind: "skipped", one, reason: "No changes" };
    const missing = one.dependencies.find((need) => need.isBlocking && !newLayouts.has(need.resourceId));
    if (missing) return failed(`Layout ${missing.resourceId} is not in the target environment`);
    return { kind: one.target ? "updated" : "created", one };
  });
  const found = new Set(chosen.map((one) => `${one.type} ${one.identifier}`));
  for (const { resourceType: type, resourceId } of selection ?? []) {
    if (found.has(`${type} ${resourceId}`)) continue;
    found.add(`${type} ${resourceId}`);
    const one = { type, identifier: resourceId, name: resourceId };
    verdicts.push({ kind: "failed", one, reason: `No ${type} has this identifier` });
  }
  return verdicts;
}

/** Why a layout of the target cannot be deleted there. */
function keepingFault(layout: LayoutRow, target: Publishable, leaving: ReadonlySet<string>): string | null {
  if (layout.is_default) return "It is the default layout of the target environment";
  const users = target.workflows.filter(
    (workflow) =>
      !leaving.has(workflow.workflow_id) &&
      workflow.steps.some((step) => [layout.layout_id, layout.id].includes(String(step.controlValues.layoutId))),
  );
  return users.length > 0 ? `It is used by workflows: ${users.map((row) => row.workflow_id).join(", ")}` : null;
}

/** Of a dry run nothing succeeded: what would have been done is told as skipped. */
export function toResult(type: PublishedResource, verdicts: Verdict[], isDry: boolean): PublishResult {
  const own = verdicts
    .filter(({ one }) => one.type === type)
    .map((verdict): Verdict => {
      if (!isDry || verdict.kind === "skipped" || verdict.kind === "failed") return verdict;
      return { kind: "skipped", one: verdict.one, reason: `Dry run: would be ${verdict.kind}` };
    });
  const named = ({ one }: Verdict) => ({
    resourceType: one.type,
    resourceId: one.identifier,
    resourceName: one.name,
  });
  return {
    resourceType: type,
    successful: own.flatMap((verdict) =>
      verdict.kind === "skipped" || verdict.kind === "failed" ? [] : [{ ...named(verdict), action: verdict.kind }],
    ),
    failed: own.flatMap((verdict) => (verdict.kind === "failed" ? [{ ...named(verdict), error: verdict.reason }] : [])),
    skipped: own.flatMap((verdict) =>
      verdict.kind === "skipped" ? [{ ...named(verdict), reason: verdict.reason }] : [],
    ),
    totalProcessed: own.length,
  };
}
