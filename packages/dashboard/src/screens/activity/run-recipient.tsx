// What an event did for one subscriber: the verdict, and the timeline of its steps.
import { Link } from "@tanstack/react-router";
import { useOperation } from "../../api/hooks.ts";
import { Icon } from "../../icons.tsx";
import { Sentence, SubscriberZone } from "../../kit/data/time.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Verdict } from "../../kit/feedback/verdict.tsx";
import { stepTones } from "../../outcomes/tones.ts";
import { RollUpItems } from "./roll-up-items.tsx";
import css from "./run.module.css";
import { Timeline } from "./timeline.tsx";
import { words } from "./words.ts";

const liveMs = 3_000;

type RunRecipientProps = { transactionId: string; subscriberId: string; name?: string };

export function RunRecipient({ transactionId, subscriberId, name }: RunRecipientProps) {
  const { data, error, refetch } = useOperation(
    "explain.retrieve",
    { query: { transactionId, subscriberId } },
    { every: liveMs },
  );
  if (error && !data) return <ErrorPanel error={error} onRetry={refetch} />;
  if (!data) return <Skeleton />;
  const { steps, verdict, digestedInto } = data;
  const isPartly = steps.some(({ outcome }) => outcome === "failed") && steps.some(({ outcome }) => outcome === "sent");
  const decisive =
    steps.find(({ outcome }) => outcome === "failed") ??
    steps.find(({ outcome }) => outcome === "waiting" || outcome === "sending") ??
    steps.findLast(({ outcome }) => outcome === "sent") ??
    steps.at(-1);
  return (
    <SubscriberZone value={data.timezone}>
      <section className={css.run} aria-label={subscriberId}>
        <div className={css.verdict}>
          <Verdict tone={isPartly ? "warn" : decisive ? stepTones[decisive.outcome] : "quiet"} size={20} />
          <div>
            <p className={css.verdictText}>
              <Sentence text={verdict} />
            </p>
            <p className={css.verdictNote}>
              <Link to="/subscribers/$subscriberId" params={{ subscriberId }}>
                {name ?? subscriberId}
              </Link>
              {` · ${data.via.text}`}
            </p>
            {data.evaluatedNow && <p className={css.verdictNote}>{words.evaluatedNow}</p>}
          </div>
        </div>
        {digestedInto && (
          <p className={css.notice}>
            <Icon name="layers" size={15} />
            <span>
              {words.digested} {digestedInto.verdict}{" "}
              <Link
                to="/activity/$transactionId"
                params={{ transactionId: digestedInto.transactionId }}
                search={{ subscriber: subscriberId }}
              >
                {words.openDigest}
              </Link>
            </span>
          </p>
        )}
        <RollUpItems explanation={data} />
        <Timeline explanation={data} subscriber={name} />
      </section>
    </SubscriberZone>
  );
}
