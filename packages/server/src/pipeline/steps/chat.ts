// Chat: a message for every endpoint of the subscriber, or for its webhook, through every integration that has one.
import { render } from "../render/liquid.ts";
import { readExtras } from "../rules/override-fields.ts";
import { mergeOverrides, overridesFor } from "../rules/overrides.ts";
import { contentScope } from "../rules/scope.ts";
import { chatContacts, isWebhookMissing } from "../rules/subscriber-channels.ts";
import type { StepInput, StepResult } from "../run/run.ts";
import type { StepHandler } from "./handler.ts";
import {
  draftForAllContacts,
  noteIgnoredExtras,
  noteIgnoredIntegrationName,
  sendStep,
  unaddressed,
} from "./sending.ts";

export default { run: runChat, bridgeResult: () => ({}) } satisfies StepHandler;

function runChat(input: StepInput): StepResult {
  return sendStep(input, "chat", (_draft, note) => {
    const { run, job, facts } = input;
    const endpoints = facts.chatEndpoints.get(run.notificationId) ?? [];
    const messages = draftForAllContacts(input, "chat", note, {
      contactsOf: (integration) => chatContacts(facts.secrets, run.subscriber, integration, endpoints),
      noContactFault: (integrations) => {
        const hasNoWebhook = integrations.some((integration) =>
          isWebhookMissing(facts.secrets, run.subscriber, integration),
        );
        const errorId = "subscriber_missing_chat_channel";
        return hasNoWebhook
          ? unaddressed("The subscriber's chat channel has no webhook URL", "no_webhook_url", errorId)
          : unaddressed("The subscriber has no chat channel", "no_chat_channel", errorId);
      },
      messageOf: ({ provider_id }) => {
        const given = overridesFor(run.event.overrides, "chat", job.step.stepId, provider_id);
        noteIgnoredIntegrationName(note, provider_id, given);
        noteIgnoredExtras(note, provider_id, readExtras(given));
        return ({ target, address, extra }) => ({
          address,
          outgoing: { ...readExtras(mergeOverrides(extra, given)), target },
        });
      },
    });
    const content = render(String(job.step.controlValues.body ?? ""), contentScope(input), "text");
    return messages.map((message) => ({ ...message, content }));
  });
}
