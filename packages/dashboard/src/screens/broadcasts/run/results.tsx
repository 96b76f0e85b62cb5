// What a broadcast did: people by outcome, what went wrong, and each variant of an experiment.
import type { BroadcastOutcome, BroadcastResults } from "@tidings/contract";
import { type Column, Table } from "../../../kit/data/table.tsx";
import { Sentence, Time } from "../../../kit/data/time.tsx";
import { Badge, Dot } from "../../../kit/feedback/verdict.tsx";
import { Muted, Note, Stack } from "../../../kit/layout/layout.tsx";
import { Card } from "../../../kit/layout/page.tsx";
import type { Tone } from "../../../kit/tone.ts";
import { outcomes } from "./outcomes.ts";
import css from "./run.module.css";
import { words } from "./words.ts";

const say = words.results;

const tones: Record<BroadcastOutcome, Tone> = {
  sent: "accent",
  delivered: "good",
  opened: "good",
  clicked: "good",
  not_opened: "quiet",
  failed: "bad",
  skipped: "quiet",
  unsubscribed: "warn",
  complained: "bad",
};

const percent = (count: number, of: number): string =>
  of === 0 ? "" : (count / of).toLocaleString(undefined, { style: "percent", maximumFractionDigits: 1 });

type ResultsProps = {
  results: BroadcastResults;
  chosen: BroadcastOutcome | undefined;
  onChoose: (outcome: BroadcastOutcome) => void;
};

export function Results({ results, chosen, onChoose }: ResultsProps) {
  const { counted, isCapped, outcomes: counts, countedAt } = results;
  const shown = outcomes.filter((outcome) => outcome === "sent" || (counts[outcome] ?? 0) > 0);
  return (
    <Card title={say.title}>
      {counted === 0 ? (
        <Muted>{say.none}</Muted>
      ) : (
        <Stack isSmall>
          <ul className={css.outcomes}>
            {shown.map((outcome) => {
              const count = counts[outcome] ?? 0;
              return (
                <li key={outcome}>
                  <button
                    type="button"
                    aria-pressed={chosen === outcome}
                    title={say.show}
                    onClick={() => onChoose(outcome)}
                  >
                    <span className={css.outcomeName}>
                      <Dot tone={tones[outcome]} />
                      {words.outcomes[outcome]}
                    </span>
                    <span className={css.outcomeBar} aria-hidden="true">
                      <span
                        data-tone={tones[outcome]}
                        style={{ width: `${Math.min(100, (100 * count) / counted)}%` }}
                      />
                    </span>
                    <span className={css.outcomeCount}>{count.toLocaleString()}</span>
                    <span className={css.outcomeShare}>{percent(count, counted)}</span>
                  </button>
                </li>
              );
            })}
          </ul>
          <Muted isSmall>
            {isCapped && `${say.capped(counted)} `}
            {say.countedAt} <Time at={countedAt} />
          </Muted>
        </Stack>
      )}
    </Card>
  );
}

export const Causes = ({ causes }: { causes: BroadcastResults["causes"] }) =>
  causes.length > 0 && (
    <Card title={words.causes.title}>
      <Stack isSmall>
        <Muted>{words.causes.text}</Muted>
        <ul className={css.causes}>
          {causes.map(({ kind, reason, sentence, stepId }) => (
            <li key={`${kind} ${reason} ${stepId}`}>
              <span>
                <Sentence text={sentence} />
                {stepId !== null && <Note> {stepId}</Note>}
              </span>
              <Badge tone={kind === "failed" ? "bad" : "quiet"}>{words.causes.kinds[kind]}</Badge>
            </li>
          ))}
        </ul>
      </Stack>
    </Card>
  );

type Variant = BroadcastResults["variants"][number];
const compared = ["opened", "clicked", "unsubscribed"] as const satisfies readonly BroadcastOutcome[];

const columnOf = (outcome: BroadcastOutcome): Column<Variant> => ({
  title: words.outcomes[outcome],
  isNumber: true,
  isWideOnly: outcome === "unsubscribed",
  cell: ({ outcomes: counts, people }) => {
    const count = counts[outcome] ?? 0;
    return (
      <span className={css.share}>
        {count.toLocaleString()} <Note>{percent(count, people)}</Note>
      </span>
    );
  },
});

export const Variants = ({ variants }: { variants: readonly Variant[] }) =>
  variants.length > 0 && (
    <Card title={words.variants.title}>
      <Table
        label={words.variants.title}
        rows={variants}
        keyOf={({ stepId, variant }) => `${stepId} ${variant}`}
        columns={[
          { title: words.variants.variant, cell: ({ name, variant }) => <strong>{name ?? variant}</strong> },
          { title: words.variants.people, isNumber: true, cell: ({ people }) => people.toLocaleString() },
          ...compared.map(columnOf),
        ]}
      />
    </Card>
  );
