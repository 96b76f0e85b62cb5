// What is assumed to happen while the simulated run waits: more events for its digest, a message that is read.
import { Checkbox } from "../../../kit/inputs/field.tsx";
import type { DraftStep } from "../editor/model.ts";
import { EventCount } from "../preview/event-count.tsx";
import type { Sample } from "../preview/use-sample.ts";
import css from "./simulator.module.css";
import { words } from "./words.ts";

/** Only what makes a difference: a digest, or an in-app message with steps after it. */
export function Assume({ steps, sample }: { steps: readonly DraftStep[]; sample: Sample }) {
  const { assume, setAssume } = sample;
  const hasDigest = steps.some(({ type, active }) => active && type === "digest");
  const inApp = steps.findIndex(({ type, active }) => active && type === "in_app");
  const hasLater = inApp >= 0 && inApp < steps.length - 1;
  if (!hasDigest && !hasLater) return null;
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
    </div>
  );
}
