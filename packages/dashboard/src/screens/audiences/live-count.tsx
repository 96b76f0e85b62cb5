// Who the typed rule matches now: the number, the rule in words, what it costs, and some of the people.
import type { AudiencePreview, JsonObject } from "@tidings/contract";
import { type ApiError, faultBeside } from "../../api/api-error.ts";
import { useOperation } from "../../api/hooks.ts";
import { Figure } from "../../kit/data/figure.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Aside, Muted, Note } from "../../kit/layout/layout.tsx";
import { Card } from "../../kit/layout/page.tsx";
import { useSettled } from "../../kit/use-settled.ts";
import { words as peopleWords } from "../../subscribers/people-words.ts";
import { SubscriberLink } from "../../subscribers/subscriber-link.tsx";
import css from "./audiences.module.css";
import { isUnfinished } from "./unfinished.ts";
import { words } from "./words.ts";

const say = words.live;
const typingMs = 450;

type LiveCountProps = { rule: JsonObject | undefined; audienceId: string | undefined };

export function LiveCount({ rule, audienceId }: LiveCountProps) {
  // As text, so that an equal rule in another object is not counted again.
  const typed = JSON.stringify(rule ?? null);
  const settled = useSettled(typed, typingMs);
  const counted = JSON.parse(settled) as JsonObject | null;
  const isFinished = counted !== null && !isUnfinished(counted);
  const { data, error, isPlaceholderData, refetch } = useOperation(
    "audiences.preview",
    { body: { rule: counted ?? {}, ...(audienceId !== undefined && { audienceId }) } },
    { enabled: isFinished, keep: true, staleTime: 15_000 },
  );
  const isOld = typed !== settled || isPlaceholderData;
  return (
    <Aside label={say.title}>
      <Card title={say.title}>
        {rule === undefined || !isFinished ? (
          <Muted>{counted === null || rule === undefined ? say.waiting : say.unfinished}</Muted>
        ) : (
          <>
            {error && <Fault error={error} onRetry={refetch} />}
            {!data && !error && <Skeleton rows={3} />}
            {data && !error && <Counted preview={data} isOld={isOld} />}
          </>
        )}
      </Card>
    </Aside>
  );
}

/** What the rule has wrong, in the words of the service; other errors as everywhere. */
function Fault({ error, onRetry }: { error: ApiError; onRetry: () => void }) {
  const faults = Object.entries(error.fields).map(([field, message]) => faultBeside(field, message));
  if (faults.length === 0) return <ErrorPanel error={error} onRetry={error.status === 422 ? undefined : onRetry} />;
  return (
    <div className={css.countBox} role="status">
      {faults.map((fault) => (
        <Notice key={fault} tone="bad">
          {fault}
        </Notice>
      ))}
    </div>
  );
}

const costTones = { low: "good", medium: "info", high: "warn" } as const;

function Counted({ preview, isOld }: { preview: AudiencePreview; isOld: boolean }) {
  const { count, everyone, cost, warnings, sample } = preview;
  const isNobody = count.people === 0 && !count.isEstimated;
  const isEveryone = !isNobody && !count.isEstimated && count.people >= everyone;
  return (
    <div className={css.countBox} data-old={isOld} aria-busy={isOld}>
      <p role="status">
        <Figure>{peopleWords.counted(count)}</Figure> <Note>{say.of(everyone.toLocaleString())}</Note>
      </p>
      {count.isEstimated && <Muted isSmall>{peopleWords.estimated}</Muted>}
      {isNobody && (
        <Notice tone="warn">
          <strong>{say.nobody}.</strong> {say.nobodyText}
        </Notice>
      )}
      {isEveryone && (
        <Notice tone="warn" icon="users">
          <strong>{say.everyone}.</strong> {say.everyoneText}
        </Notice>
      )}
      {!isNobody &&
        !isEveryone &&
        warnings.map((warning) => (
          <Notice key={warning} tone="warn">
            {warning}
          </Notice>
        ))}
      <p className={css.cost}>
        <Badge tone={costTones[cost.level]}>{say.costs[cost.level]}</Badge>
        <Note title={say.rows(cost.rows)}>{cost.reason}</Note>
      </p>
      {sample.length > 0 && (
        <>
          <h3 className={css.sampleTitle}>{say.sample}</h3>
          <ul className={css.sample}>
            {sample.slice(0, 5).map((person) => (
              <li key={person.subscriberId}>
                <SubscriberLink subscriber={person} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
