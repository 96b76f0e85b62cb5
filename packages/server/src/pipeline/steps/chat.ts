// Chat: a message for every endpoint of the subscriber, or for its webhook, through every integration that has one.
import { render } from "../render/liquid.ts";
import { templateScope } from "../render/scope.ts";
import { chatContacts, lacksWebhook } from "../rules/contact.ts";
import { readExtras } from "../rules/override-fields.ts";
import { merge, overridesFor } from "../rules/overrides.ts";
import type { StepInput, StepResult } from "../run/run.ts";
import { CannotSend, messagesForAll, noteLeftOut, noteUnusedName, sendStep } from "./sending.ts";

export const runChat = (input: StepInput): StepResult =>
  sendStep(input, "chat", (_draft, note) => {
    const { run, job, facts } = input;
    const endpoints = facts.chatEndpoints.get(run.notificationId) ?? [];
    const messages = messagesForAll(input, "chat", note, {
      contactsOf: (integration) => chatContacts(facts.secrets, run.subscriber, integration, endpoints),
      unreached: (integrations) => {
        const isHalf = integrations.some((integration) => lacksWebhook(facts.secrets, run.subscriber, integration));
        const errorId = "subscriber_missing_chat_channel";
        return isHalf
          ? new CannotSend("The subscriber's chat channel has no webhook URL", { detail: "no_webhook_url", errorId })
          : new CannotSend("The subscriber has no chat channel", { detail: "no_chat_channel", errorId });
      },
      messageOf: ({ provider_id }) => {
        const given = overridesFor(run.event.overrides, "chat", job.step.stepId, provider_id);
        noteUnusedName(note, provider_id, given);
        noteLeftOut(note, provider_id, readExtras(given));
        return ({ target, address, extra }) => ({
          address,
          outgoing: { ...readExtras(merge(extra, given)), target },
        });
      },
    });
    const content = render(String(job.step.controlValues.body ?? ""), templateScope(run, facts), "text");
    return messages.map((message) => ({ ...message, content }));
  });
