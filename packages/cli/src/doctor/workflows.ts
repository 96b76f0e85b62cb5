// Workflows that the service calls broken: their invalid steps fail for every recipient.
import type { Tidings } from "@tidings/client/source";
import type { Output } from "@tidings/contract";
import { type Finding, fault, ok } from "./finding.ts";

/** Workflows with errors that are named. */
const maxNamed = 20;

export async function checkWorkflows(tidings: Tidings): Promise<Finding[]> {
  const query = { status: ["ERROR" as const], limit: maxNamed };
  const { workflows, totalCount } = await tidings.workflows.list({ query });
  if (totalCount === 0) return [ok("workflows", "none has an error")];
  const findings = workflows.map((one) =>
    fault(`workflow ${one.workflowId}`, describeErrors(one), `tidings open workflows/${one.workflowId}`),
  );
  if (totalCount > workflows.length)
    findings.push(fault("workflows", `${totalCount - workflows.length} more have errors`, "tidings workflows ls"));
  return findings;
}

function describeErrors({ steps }: Output<"workflows.list">["workflows"][number]): string {
  const messages = steps.flatMap(({ issues }) =>
    [issues?.controls, issues?.integration]
      .flatMap((some) => Object.values(some ?? {}).flat())
      .filter(({ severity }) => severity === "error")
      .map(({ message }) => message),
  );
  const [first = "it has errors", ...more] = [...new Set(messages)];
  return more.length > 0 ? `${first}, and ${more.length} more` : first;
}
