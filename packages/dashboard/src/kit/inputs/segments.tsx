// A few choices side by side, one of which is on.
import css from "./segments.module.css";

type SegmentsProps<V extends string> = {
  label: string;
  value: V;
  choices: Readonly<Record<V, string>>;
  isDisabled?: boolean;
  onChoose: (value: V) => void;
};

export const Segments = <V extends string>({ label, value, choices, isDisabled, onChoose }: SegmentsProps<V>) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is seen
  <div className={css.segments} role="group" aria-label={label}>
    {(Object.entries(choices) as [V, string][]).map(([of, name]) => (
      <button key={of} type="button" aria-pressed={value === of} disabled={isDisabled} onClick={() => onChoose(of)}>
        {name}
      </button>
    ))}
  </div>
);
