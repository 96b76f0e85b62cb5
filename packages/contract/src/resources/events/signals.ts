// Signals: what happened to a subscriber meanwhile, which runs may wait for (steps/wait.ts).
import { identifiers } from "../../common.ts";
import { countItems, operation } from "../../operation.ts";
import { named, openObject, type Static, Type } from "../../schema.ts";

/** Subscribers of one signal. */
export const maxSignalRecipients = 100;
/** The data of a signal, as JSON. */
export const maxSignalBytes = 65_536;

const SignalRecipient = Type.Union([
  Type.String({ minLength: 1, maxLength: 256 }),
  Type.Object({ subscriberId: Type.String({ minLength: 1, maxLength: 256 }) }),
]);

export const SignalIn = named("SignalIn", {
  name: Type.String({ ...identifiers.signal, description: "What happened, such as `incident.acknowledged`" }),
  to: Type.Union([SignalRecipient, Type.Array(SignalRecipient, { minItems: 1, maxItems: maxSignalRecipients })], {
    description: "The subscribers whose runs it reaches: one or a list of up to 100. Unknown ones are not created",
  }),
  key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: "Which of several: a wait that names a key takes only signals with the same one",
    }),
  ),
  data: Type.Optional(openObject({ description: "At most 64 KB. Later steps read it as `steps.<stepId>.data`" })),
});
export type SignalIn = Static<typeof SignalIn>;

export const SignalResult = named("SignalResult", {
  id: Type.String(),
  name: Type.String(),
  at: Type.String(),
  reached: Type.Integer({ description: "Runs that waited for the signal and continue now" }),
  unknownSubscribers: Type.Optional(Type.Array(Type.String(), { description: "Those of `to` that do not exist" })),
});
export type SignalResult = Static<typeof SignalResult>;

export const signalOperations = {
  "signals.send": operation({
    id: "signals.send",
    method: "POST",
    path: "/v2/signals",
    summary: "Send a signal to waiting runs",
    description:
      "Every run of these subscribers that waits for a signal of this name, and of this key where it names one, continues. " +
      "A signal that no run waits for is stored for waits that look back.",
    category: "trigger",
    isForSending: true,
    body: SignalIn,
    success: { status: 201, schema: SignalResult },
    errors: [],
  }),
  "signals.sendBulk": operation({
    id: "signals.sendBulk",
    method: "POST",
    path: "/v2/signals/bulk",
    summary: "Send up to 100 signals",
    description: "Returns one item per signal, in request order.",
    category: "trigger",
    isForSending: true,
    cost: (body) => countItems(body, "signals"),
    bodyLimit: "bulk",
    body: named("SignalBulkIn", { signals: Type.Array(SignalIn, { minItems: 1, maxItems: 100 }) }),
    success: { status: 201, schema: Type.Array(SignalResult) },
    errors: [],
  }),
};
