// Push: a message for every device of the subscriber, through every integration that knows some.
import { render } from "../render/liquid.ts";
import { templateScope } from "../render/scope.ts";
import { deviceTokens } from "../rules/contact.ts";
import { readPushOverride } from "../rules/override-fields.ts";
import { overridesFor } from "../rules/overrides.ts";
import type { StepInput, StepResult } from "../run/run.ts";
import { CannotSend, messagesForAll, noteLeftOut, noteUnusedName, sendStep } from "./sending.ts";

export const runPush = (input: StepInput): StepResult =>
  sendStep(input, "push", (_draft, note) => {
    const { run, job, facts } = input;
    const { subject, body } = job.step.controlValues;
    const messages = messagesForAll(input, "push", note, {
      contactsOf: (integration) => deviceTokens(facts.secrets, run.subscriber, integration),
      unreached: () => {
        const reason = { detail: "no_device_tokens", errorId: "subscriber_missing_device_tokens" } as const;
        return new CannotSend("The subscriber has no device tokens", reason);
      },
      messageOf: ({ provider_id }) => {
        const given = overridesFor(run.event.overrides, "push", job.step.stepId, provider_id);
        const fields = readPushOverride(given);
        noteUnusedName(note, provider_id, given);
        noteLeftOut(note, provider_id, fields);
        return (token) => ({ address: token, outgoing: { ...fields, token } });
      },
    });
    const scope = templateScope(run, facts);
    const title = render(String(subject ?? ""), scope, "text");
    const text = render(String(body ?? ""), scope, "text");
    return messages.map((message) => ({ ...message, subject: title, content: text }));
  });
