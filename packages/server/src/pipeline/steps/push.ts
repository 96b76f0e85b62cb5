// Push: a message for every device of the subscriber, through every integration with device tokens.
import { render } from "../render/liquid.ts";
import { readPushOverride } from "../rules/override-fields.ts";
import { overridesFor } from "../rules/overrides.ts";
import { contentScope } from "../rules/scope.ts";
import { deviceTokens } from "../rules/subscriber-channels.ts";
import type { StepInput, StepResult } from "../run/run.ts";
import type { StepHandler } from "./handler.ts";
import {
  draftForAllContacts,
  noteIgnoredExtras,
  noteIgnoredIntegrationName,
  sendStep,
  unaddressed,
} from "./sending.ts";

export default { run: runPush, bridgeResult: () => ({}) } satisfies StepHandler;

function runPush(input: StepInput): StepResult {
  return sendStep(input, "push", (_draft, note) => {
    const { run, job, facts } = input;
    const { subject, body } = job.step.controlValues;
    const messages = draftForAllContacts(input, "push", note, {
      contactsOf: (integration) => deviceTokens(facts.secrets, run.subscriber, integration),
      noContactFault: () =>
        unaddressed("The subscriber has no device tokens", "no_device_tokens", "subscriber_missing_device_tokens"),
      messageOf: ({ provider_id }) => {
        const given = overridesFor(run.event.overrides, "push", job.step.stepId, provider_id);
        const fields = readPushOverride(given);
        noteIgnoredIntegrationName(note, provider_id, given);
        noteIgnoredExtras(note, provider_id, fields);
        return (token) => ({ address: token, outgoing: { ...fields, token } });
      },
    });
    const scope = contentScope(input);
    const title = render(String(subject ?? ""), scope, "text");
    const text = render(String(body ?? ""), scope, "text");
    return messages.map((message) => ({ ...message, subject: title, content: text }));
  });
}
