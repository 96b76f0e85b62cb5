// The screen that fixes what an alert found. The service has the same in `path`, for messages outside the dashboard.
import type { LinkProps } from "@tanstack/react-router";
import type { Alert, AlertKindName } from "@tidings/contract";

type Target = Pick<LinkProps, "to" | "params" | "search">;

const workflow = (workflowSlug: string): Target => ({
  to: "/workflows/$workflowId",
  params: { workflowId: workflowSlug },
});

const links: Record<AlertKindName, (subjectId: string) => Target> = {
  integration_failing: (integrationId) => ({ to: "/integrations/$integrationId", params: { integrationId } }),
  dead_letters: () => ({ to: "/dead-letters" }),
  queue_age: () => ({ to: "/" }),
  webhook_failing: (webhookId) => ({ to: "/webhooks/$webhookId", params: { webhookId } }),
  source_failing: (sourceId) => ({ to: "/sources/$sourceId", params: { sourceId } }),
  workflow_objective: workflow,
  workflow_runaway: workflow,
  storage: () => ({ to: "/settings", search: { tab: "data" } }),
};

export const linkOf = ({ kind, subject }: Pick<Alert, "kind" | "subject">): Target => links[kind](subject.id);
