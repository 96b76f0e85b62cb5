// What decided the outcome of a step, and where to change it: from the code and the decider that the service reports,
// never from its texts.
import type { LinkProps } from "@tanstack/react-router";
import type { DecidedBy, ExplainedStep, Decider as Kind } from "@tidings/contract";

type Link = Pick<LinkProps, "to" | "params" | "search">;

/** `who`: the sentence; `where`: the label of the link; `place`: what it leads to, in the words of a simulation. */
export type Decision = { who: string; where: string; place: string; link: Link };

/** The event that the step is of. `subscriber`: the name, for the sentence. */
export type DecisionOf = { workflowId: string; subscriberId: string; subscriber?: string };

type Tab = "profile" | "preferences" | "schedule" | "channels";

/** What the subscriber is missing, by the code of the step. */
const missing: Readonly<Record<string, { what: string; where: string; tab: Tab } | undefined>> = {
  no_email: { what: "has no email address", where: "Add an email address", tab: "profile" },
  no_phone: { what: "has no phone number", where: "Add a phone number", tab: "profile" },
  no_device_tokens: { what: "has no device", where: "Open their devices", tab: "channels" },
  no_chat_channel: { what: "has no chat channel", where: "Open their chat channels", tab: "channels" },
  no_webhook_url: {
    what: "has a chat channel without a webhook URL",
    where: "Open their chat channels",
    tab: "channels",
  },
  device_token_removed: { what: "had a device that is gone", where: "Open their devices", tab: "channels" },
};

export function findDecision(step: ExplainedStep, of: DecisionOf): Decision | undefined {
  const { decidedBy: by, code = "" } = step;
  // The sentence of a step that has not begun names the one it waits for.
  if (!by || step.outcome === "sent" || step.outcome === "done" || step.outcome === "pending") return undefined;
  return decisions[by.kind]({ by, code, step, ...of });
}

type Facts = DecisionOf & { by: DecidedBy; code: string; step: ExplainedStep };

const toSubscriber = ({ subscriberId }: Facts, tab: Tab): Link => ({
  to: "/subscribers/$subscriberId",
  params: { subscriberId },
  search: { tab },
});

const toStep = ({ workflowId, by, step }: Facts): Link => ({
  to: "/workflows/$workflowId",
  params: { workflowId },
  search: { step: by.id ?? step.stepId },
});

const nameOf = ({ subscriber }: Facts): string => subscriber ?? "This subscriber";

/** `own`: the words where the step itself decided; a step before it is named. */
const byStep =
  (own: string) =>
  (facts: Facts): Decision => ({
    who: facts.by.name !== undefined && facts.by.id !== facts.step.stepId ? `Decided by “${facts.by.name}”` : own,
    where: "Open the step",
    place: "the step",
    link: toStep(facts),
  });

const byIntegration = (facts: Facts): Decision => {
  const { id, name } = facts.by;
  if (id === undefined)
    return {
      who: facts.code === "no_integration" ? "No active integration for this channel" : "Decided by the integration",
      where: "Open integrations",
      place: "integrations",
      link: { to: "/integrations" },
    };
  return {
    who: `Decided by ${name ?? "the integration"}`,
    where: `Open ${name ?? "the integration"}`,
    place: "the integration",
    link: { to: "/integrations/$integrationId", params: { integrationId: id } },
  };
};

function bySubscriber(facts: Facts): Decision {
  const lack = missing[facts.code];
  if (lack)
    return {
      who: `${nameOf(facts)} ${lack.what}`,
      where: lack.where,
      place: "the profile",
      link: toSubscriber(facts, lack.tab),
    };
  const isDevice = facts.step.type === "push" || facts.step.type === "chat";
  return {
    who: "The provider rejected this address",
    where: isDevice
      ? "Open their devices"
      : facts.step.type === "sms"
        ? "Change the phone number"
        : "Change the address",
    place: "the profile",
    link: toSubscriber(facts, isDevice ? "channels" : "profile"),
  };
}

/** A lower limit of the subscriber is in their preferences. */
function byBudget(facts: Facts): Decision {
  const raw = facts.step.details?.findLast(({ code }) => code === facts.code)?.raw;
  const { isOwn } = JSON.parse(raw || "{}") as { isOwn?: boolean };
  return isOwn
    ? {
        who: `${nameOf(facts)} wants fewer messages`,
        where: "Open their preferences",
        place: "the preferences",
        link: toSubscriber(facts, "preferences"),
      }
    : {
        who: "Held by the attention budget",
        where: "Open the budgets",
        place: "the attention budget",
        link: { to: "/attention" },
      };
}

const decisions: Readonly<Record<Kind, (facts: Facts) => Decision>> = {
  workflow: ({ workflowId }) => ({
    who: "Off by default for this workflow",
    where: "Open its settings",
    place: "the workflow settings",
    link: { to: "/workflows/$workflowId", params: { workflowId }, search: { tab: "settings" } },
  }),
  step: byStep("Decided by the step's content or settings"),
  condition: byStep("Decided by the step's condition"),
  digest: byStep("Decided by the digest"),
  throttle: byStep("Decided by the throttle"),
  delay: byStep("Decided by the delay"),
  branch: byStep("Decided by the branch"),
  experiment: byStep("Decided by the experiment"),
  wait: byStep("Decided by the wait"),
  bridge: byStep("Decided by your code"),
  tenant: byStep("The event's tenant does not exist"),
  event: byStep("Decided by the event's overrides"),
  topic: () => ({
    who: "Decided by the topic's subscription",
    where: "Open topics",
    place: "the topic",
    link: { to: "/topics" },
  }),
  preference: (facts) => ({
    who: `${nameOf(facts)} turned this off`,
    where: "Open their preferences",
    place: "the preferences",
    link: toSubscriber(facts, "preferences"),
  }),
  schedule: (facts) => ({
    who: facts.subscriber === undefined ? "Outside this subscriber's hours" : `Outside ${facts.subscriber}'s hours`,
    where: "Open their schedule",
    place: "the schedule",
    link: toSubscriber(facts, "schedule"),
  }),
  subscriber: bySubscriber,
  budget: byBudget,
  suppression: (facts) => ({
    who: "The address is on the suppression list",
    where: "Open their profile",
    place: "the profile",
    link: toSubscriber(facts, "profile"),
  }),
  integration: byIntegration,
  provider: (facts) => ({
    ...byIntegration({ ...facts, by: { kind: "integration" } }),
    who: "Reported by the provider",
  }),
};
