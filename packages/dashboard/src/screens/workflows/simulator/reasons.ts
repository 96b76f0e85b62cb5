// Which setting decided about a step of a dry-run, from the sentence that explains it. A dry-run has no execution details, so
// the texts of the details are looked for in the sentence (packages/server/src/pipeline/rules/step-outcome-text.ts).
import type { LinkProps } from "@tanstack/react-router";
import type { ExplainedStep } from "@tidings/contract";
import { type Decider, deciders } from "../../activity/deciders.ts";

export type Fix = { where: string; link: LinkProps };

type Target = Decider["place"] | { screen: "settings" };

const preferences = { where: "the preferences", place: { screen: "person", tab: "preferences" } } as const;
const settings = { where: "the settings of the workflow", place: { screen: "settings" } } as const;
const step = { where: "the step", place: { screen: "workflow" } } as const;

const sentences: readonly [RegExp, { where: string; place: Target }][] = [
  [/turns .+ off by default|was turned off for workflow .+ in its preferences/, settings],
  [/subscriber turned .+ off/, preferences],
  [/skip condition is met|its filters do not match/, step],
  [/outside the subscriber's schedule/, { where: "the schedule", place: { screen: "person", tab: "schedule" } }],
  [/the throttle let/, step],
  [/merged into|collects events/, step],
];

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
const known = Object.entries(deciders).map(([text, decider]) => [lowerFirst(text), decider] as const);

function findTarget(reason: string): { where: string; place: Target } | undefined {
  const sentence = sentences.find(([pattern]) => pattern.test(reason))?.[1];
  return sentence ?? known.find(([text]) => reason.includes(text) || reason.includes(text.replace(/^step /, "")))?.[1];
}

export function findFix(explained: ExplainedStep, subscriberId: string, workflowId: string): Fix | undefined {
  if (explained.outcome === "sent" || explained.outcome === "done") return undefined;
  const target = findTarget(explained.reason);
  if (!target) return undefined;
  const { where, place } = target;
  const params = { workflowId };
  switch (place.screen) {
    case "integrations":
      return { where, link: { to: "/integrations" } };
    case "person":
      return { where, link: { to: "/people/$subscriberId", params: { subscriberId }, search: { tab: place.tab } } };
    case "settings":
      return { where, link: { to: "/workflows/$workflowId", params, search: { tab: "settings" } } };
    case "workflow":
      return { where, link: { to: "/workflows/$workflowId", params, search: { step: explained.stepId } } };
  }
}
