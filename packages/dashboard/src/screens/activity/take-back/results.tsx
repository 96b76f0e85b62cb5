// Messages by channel and end state, expected or reached.
import type { RetractedState, RetractionResults, StepType } from "@tidings/contract";
import { Icon } from "../../../icons.tsx";
import { Verdict } from "../../../kit/feedback/verdict.tsx";
import type { Tone } from "../../../kit/tone.ts";
import { stepIcons, stepNames } from "../../../steps/facts.gen.ts";
import css from "./take-back.module.css";

/** In the order in which they are listed: what is undone, what is not. */
const tones: Readonly<Record<RetractedState, Tone>> = {
  canceled: "good",
  removed: "good",
  replaced: "good",
  deleted: "good",
  edited: "good",
  removal_sent: "good",
  superseded: "good",
  in_flight: "info",
  taking_back: "info",
  corrected: "warn",
  cannot_unsend: "warn",
  failed: "bad",
  not_sent: "quiet",
};
const states = Object.keys(tones) as RetractedState[];

type ResultsProps = {
  label: string;
  results: RetractionResults;
  names: Readonly<Record<RetractedState, string>>;
  empty: string;
};

export function Results({ label, results, names, empty }: ResultsProps) {
  const types = (Object.keys(stepNames) as StepType[]).filter((type) => results[type] !== undefined);
  if (types.length === 0) return <p className={css.none}>{empty}</p>;
  return (
    <ul className={css.results} aria-label={label}>
      {types.map((type) => (
        <li key={type} className={css.channel}>
          <span className={css.name}>
            <Icon name={stepIcons[type]} size={15} />
            {stepNames[type]}
          </span>
          <ul className={css.states}>
            {states
              .filter((state) => results[type]?.[state])
              .map((state) => (
                <li key={state} className={css.state}>
                  <Verdict tone={tones[state]} size={15} />
                  <span>
                    <strong>{results[type]![state]!.toLocaleString()}</strong> {names[state]}
                  </span>
                </li>
              ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}
