// A message before and after the change: what came of it, what it says, and what differs in the content.
import { Link } from "@tanstack/react-router";
import type { BacktestMessage, BacktestVersion, Channel } from "@tidings/contract";
import { FieldChange } from "../drafts/change-list.tsx";
import { Bubble } from "../kit/data/bubble.tsx";
import { MessageFrame } from "../kit/data/html-frame.tsx";
import { Sentence, Time } from "../kit/data/time.tsx";
import { Badge } from "../kit/feedback/verdict.tsx";
import { Muted } from "../kit/layout/layout.tsx";
import { Facts } from "../kit/layout/page.tsx";
import { channelNames } from "../outcomes/channel-names.ts";
import css from "./backtests.module.css";
import { type Content, changedContent, isHtml } from "./content.ts";
import { outcomeTones } from "./effects.ts";
import { words } from "./words.ts";

const say = words.person;

export function BothVersions({ message }: { message: BacktestMessage }) {
  const { before, after, transactionId, stepName } = message;
  return (
    <div className={css.both}>
      <div className={css.versions}>
        <Version title={say.before} of={before} stepName={stepName} />
        <Version title={say.after} of={after} stepName={stepName} />
      </div>
      {before?.content && after?.content && <Changes before={before.content} after={after.content} />}
      <p>
        <Link to="/activity/$transactionId" params={{ transactionId }} search={{}}>
          {say.event}
        </Link>
      </p>
    </div>
  );
}

type VersionProps = { title: string; of: BacktestVersion | null; stepName: string };

function Version({ title, of, stepName }: VersionProps) {
  const label = `${title}: ${stepName}`;
  return (
    <section className={css.version} aria-label={label}>
      <p className={css.versionHead}>
        <strong>{title}</strong>
        {of && <Badge tone={outcomeTones[of.outcome]}>{say.outcomes[of.outcome]}</Badge>}
      </p>
      {of === null ? <Muted>{say.noStep}</Muted> : <Outcome of={of} label={label} />}
    </section>
  );
}

function Outcome({ of, label }: { of: BacktestVersion; label: string }) {
  const { reason, at, channel, integrations, events } = of;
  const content = of.content as Content | null;
  return (
    <>
      <p className={css.breaking}>
        <Sentence text={reason} />
      </p>
      <Facts
        of={[
          [say.at, at && <Time at={at} />],
          [say.channel, channel && channelNames[channel as Channel]],
          [say.through, integrations.join(", ")],
          [say.to, content?.address],
          [say.events, events > 1 && words.number(events)],
          [say.subject, content?.subject],
        ].map(([name, value]) => [name as string, value || null])}
      />
      {content?.body ? <Body text={content.body} title={label} /> : null}
    </>
  );
}

const Body = ({ text, title }: { text: string; title: string }) =>
  isHtml(text) ? (
    <div className={css.letter}>
      <MessageFrame html={text} title={title} height="16rem" />
    </div>
  ) : (
    <Bubble>{text}</Bubble>
  );

function Changes({ before, after }: { before: object; after: object }) {
  const { fields, isSourceOnly } = changedContent(before as Content, after as Content);
  if (fields.length === 0) return <Muted>{say.sameContent}</Muted>;
  return (
    <section className={css.changes} aria-label={say.differences}>
      <h3>{say.differences}</h3>
      {isSourceOnly && <Muted>{say.sourceOnly}</Muted>}
      {fields.map((field) => (
        <FieldChange key={field.field} field={{ ...field, field: say.fields[field.field] }} />
      ))}
    </section>
  );
}
