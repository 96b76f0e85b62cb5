// SMS: integration, number and text; then the message goes to the deliver stage, and later steps wait for it.
import { render } from "../render/liquid.ts";
import { readSmsOverride } from "../rules/override-fields.ts";
import { contentScope } from "../rules/scope.ts";
import type { SmsFields, StepInput, StepResult } from "../run/run.ts";
import type { StepHandler } from "./handler.ts";
import { chooseRoute, routedOverrides, sendStep, unaddressed } from "./sending.ts";

export default { run: runSms, bridgeResult: () => ({}) } satisfies StepHandler;

function runSms(input: StepInput): StepResult {
  return sendStep(input, "sms", (draft, note) => {
    const { run, job } = input;
    const route = chooseRoute(input, "sms", draft, note);
    const overrides = routedOverrides(input, "sms", route, note, readSmsOverride);
    const phone = run.subscriber?.phone || undefined;
    draft.address = overrides.first.to ?? phone ?? null;
    if (!draft.address) {
      throw unaddressed("The subscriber has no phone number", "no_phone", "subscriber_missing_phone");
    }
    const { address } = draft;

    const text = render(String(job.step.controlValues.body ?? ""), contentScope(input), "text");
    draft.content = overrides.first.content ?? text;
    draft.outgoing = overrides.routed(
      ({ to, content = text, ...rest }): SmsFields => ({
        ...rest,
        to: to ?? phone ?? address,
        text: content === draft.content ? undefined : content,
      }),
    );
    return [draft];
  });
}
