// Who decided what became of a step, and where that can be changed. The texts are those of the execution details
// (packages/server/src/pipeline/rules/details.ts); a test compares the two lists.
import type { LinkProps } from "@tanstack/react-router";
import type { ExplainedStep, Explanation } from "@tidings/contract";

/** `workflow`: the step in the editor; `person`: a part of the person's page. */
type Place =
  | { screen: "workflow" }
  | { screen: "person"; tab: "profile" | "preferences" | "schedule" }
  | { screen: "integrations" };

export type Decider = { who: string; where: string; place: Place };

const byStep = (who: string): Decider => ({ who, where: "the workflow", place: { screen: "workflow" } });
const byPerson = (who: string, tab: "profile" | "preferences" | "schedule", where: string): Decider => ({
  who,
  where,
  place: { screen: "person", tab },
});
const byIntegration = (who: string): Decider => ({ who, where: "integrations", place: { screen: "integrations" } });

const missing = (what: string) => byPerson(`the person's profile: no ${what}`, "profile", "the profile");
const ownChoice = byPerson("the person's own preference", "preferences", "the preferences");
const schedule = byPerson("the person's schedule", "schedule", "the schedule");
const content = byStep("the content of the step");

export const deciders: Readonly<Record<string, Decider>> = {
  "Step skipped by its condition": byStep("the condition of the step"),
  "Step condition could not be evaluated": byStep("the condition of the step"),
  "Step filtered by workflow preferences": byStep("the default of the workflow"),
  "Step filtered by dashboard preferences": byStep("the preferences of the workflow"),
  "Step filtered by subscriber global preferences": ownChoice,
  "Step filtered by subscriber workflow preferences": ownChoice,
  "Step held until the subscriber's schedule opens": schedule,
  "Step extended to the subscriber's schedule": schedule,
  "Step skipped, outside the subscriber's schedule": schedule,
  "Throttle limit reached": byStep("the throttle before this step"),
  "Throttle settings are not valid, the event was let through": byStep("the settings of the throttle"),
  "Step delayed": byStep("the delay"),
  "Step digested": byStep("the digest"),
  "Digest started": byStep("the digest"),
  "Merged into a waiting digest": byStep("the digest"),
  "Delay settings are not valid": byStep("the settings of the delay"),
  "Digest settings are not valid": byStep("the settings of the digest"),
  "Wait is longer than allowed": byStep("the settings of the wait"),
  "No active integration for the channel": byIntegration("no active integration"),
  "Named integration not found or inactive": byIntegration("the named integration"),
  "Provider error": byIntegration("the provider"),
  "Provider error, will be repeated": byIntegration("the provider"),
  "Message moved to dead letters": byIntegration("the provider"),
  "Message content could not be rendered": content,
  "Layout not found": content,
  "Override is not valid": content,
  "Recipient address is suppressed": byPerson("the suppression list", "profile", "the profile"),
  "Subscriber has no email address": missing("email address"),
  "Subscriber has no phone number": missing("phone number"),
  "Subscriber has no device tokens": missing("device tokens"),
  "Subscriber has no channel for this provider": missing("chat channel"),
  "Webhook URL for the chat channel is missing": missing("webhook URL"),
};

/** The last detail with a decider, of a step that was not simply sent. */
export function findDecider({ outcome, details = [] }: ExplainedStep): Decider | undefined {
  if (outcome === "sent" || outcome === "done" || outcome === "pending") return undefined;
  return details.map(({ detail }) => deciders[detail]).findLast((decider) => decider !== undefined);
}

/** The place where the decision can be changed. */
export function linkToPlace(
  { place }: Decider,
  { stepId }: ExplainedStep,
  { event, subscriberId }: Explanation,
): Pick<LinkProps, "to" | "params" | "search"> {
  if (place.screen === "integrations") return { to: "/integrations" };
  if (place.screen === "workflow")
    return { to: "/workflows/$workflowId", params: { workflowId: event.workflowId }, search: { step: stepId } };
  return { to: "/people/$subscriberId", params: { subscriberId }, search: { tab: place.tab } };
}
