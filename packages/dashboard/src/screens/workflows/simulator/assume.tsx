// What is assumed to happen while the simulated run waits: more events for its digest, a message that is read, a signal
// that arrives.
import type { DryRunAssumptions } from "@tidings/contract";
import { Checkbox } from "../../../kit/inputs/field.tsx";
import { Select } from "../../../kit/inputs/select.tsx";
import type { DraftStep } from "../editor/model.ts";
import { EventCount } from "../preview/event-count.tsx";
import type { Sample } from "../preview/use-sample.ts";
import css from "./simulator.module.css";
import { words } from "./words.ts";

/** Only what makes a difference: a digest, an in-app message with steps after it, or a wait. */
export function Assume({ steps, sample }: { steps: readonly DraftStep[]; sample: Sample }) {
  const { assume, setAssume } = sample;
  const hasDigest = steps.some(({ type, active }) => active && type === "digest");
  const inApp = steps.findIndex(({ type, active }) => active && type === "in_app");
  const hasLater = inApp >= 0 && inApp < steps.length - 1;
  const waits = steps.filter(({ type, active }) => active && type === "wait");
  if (!hasDigest && !hasLater && waits.length === 0) return null;
  return (
    <div className={css.assume}>
      {hasDigest && <EventCount sample={sample} />}
      {hasLater && (
        <Checkbox
          label={words.isRead}
          checked={assume.isRead}
          onChange={({ target }) => setAssume({ ...assume, isRead: target.checked })}
        />
      )}
      {waits.map((step) => (
        <WaitEnd key={step.key} step={step} sample={sample} steps={steps} />
      ))}
    </div>
  );
}

type WaitEndProps = { step: DraftStep; sample: Sample; steps: readonly DraftStep[] };

/** What ends a wait. Waits for the same signal end alike. */
function WaitEnd({ step, sample: { assume, setAssume }, steps }: WaitEndProps) {
  const { signal, message } = step.controlValues as WaitValues;
  const isSignal = assume.signals.some(({ name }) => name === signal?.name);
  const isMessage = assume.messages.some(({ stepId, event }) => stepId === message?.stepId && event === message?.event);
  const set = (end: "timeout" | "signal" | "message") => {
    const signals = assume.signals.filter(({ name }) => name !== signal?.name);
    const messages = assume.messages.filter((one) => one.stepId !== message?.stepId || one.event !== message?.event);
    setAssume({
      ...assume,
      signals: end === "signal" && signal?.name ? [...signals, { name: signal.name }] : signals,
      messages: end === "message" && message ? [...messages, message] : messages,
    });
  };
  const sender = steps.find(({ stepId }) => stepId === message?.stepId)?.name ?? message?.stepId ?? "";
  return (
    <Select
      name={step.name}
      value={isSignal ? "signal" : isMessage ? "message" : "timeout"}
      choices={[
        { value: "timeout", label: words.timesOut },
        ...(signal?.name ? [{ value: "signal" as const, label: words.arrives(signal.name) }] : []),
        ...(message?.stepId
          ? [{ value: "message" as const, label: words.happens(sender, words.events[message.event]) }]
          : []),
      ]}
      onChange={set}
    />
  );
}

type WaitValues = { signal?: { name?: string }; message?: NonNullable<DryRunAssumptions["messages"]>[number] };
