// The saved draft as some people of its audience would get it, or as a named person would.
import type { BroadcastPreview } from "@tidings/contract";
import { useState } from "react";
import { useOperation } from "../../../api/hooks.ts";
import { Icon } from "../../../icons.tsx";
import { Bubble } from "../../../kit/data/bubble.tsx";
import { Letter } from "../../../kit/data/letter.tsx";
import { MailFrame } from "../../../kit/data/mail-frame.tsx";
import { Sentence } from "../../../kit/data/time.tsx";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { Verdict } from "../../../kit/feedback/verdict.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { Muted, Note, Stack } from "../../../kit/layout/layout.tsx";
import { stepIcons } from "../../../outcomes/tones.ts";
import { stepNames } from "../../../steps/facts.gen.ts";
import { Avatar } from "../../../subscribers/avatar.tsx";
import { type Subscriber, SubscriberPicker } from "../../../subscribers/subscriber-picker.tsx";
import { words } from "../words.ts";
import css from "./preview.module.css";
import type { DraftEditor } from "./use-broadcast-draft.ts";

const say = words.preview;

export function PreviewTab({ editor: { broadcast, isChanged } }: { editor: DraftEditor }) {
  const [named, setNamed] = useState<Subscriber | undefined>();
  const [chosen, setChosen] = useState<string | undefined>();
  const { data, error, refetch, isFetching } = useOperation(
    "broadcasts.preview",
    {
      params: { broadcastId: broadcast._id },
      body: named ? { subscriberIds: [named.subscriberId] } : {},
    },
    { staleTime: 60_000 },
  );
  const previews = data?.data;
  const shown = previews?.find(({ subscriberId }) => subscriberId === chosen) ?? previews?.[0];
  return (
    <Stack>
      {isChanged && <Notice tone="warn">{say.unsaved}</Notice>}
      <div className={css.previewBar}>
        <Muted>{say.text}</Muted>
        <div className={css.picker}>
          <SubscriberPicker label={say.person} subscriber={named} onChoose={setNamed} />
        </div>
        {!named && (
          <Button size="small" icon="refresh" disabled={isFetching} onClick={() => void refetch()}>
            {say.another}
          </Button>
        )}
      </div>
      {error && <ErrorPanel error={error} onRetry={error.status === 409 ? undefined : refetch} />}
      {!data && !error && <Skeleton rows={6} />}
      {previews?.length === 0 && <EmptyState icon="users" title={say.none} text={say.noneText} />}
      {previews && shown && (
        <div className={css.preview}>
          <ul className={css.previewPeople} aria-label={say.people}>
            {previews.map(({ subscriberId, name }) => (
              <li key={subscriberId}>
                <button
                  type="button"
                  aria-pressed={subscriberId === shown.subscriberId}
                  onClick={() => setChosen(subscriberId)}
                >
                  <Avatar subscriber={{ subscriberId, firstName: name }} />
                  <span>{name ?? subscriberId}</span>
                </button>
              </li>
            ))}
          </ul>
          <Stack>
            {shown.messages.length === 0 && <Muted>{say.noMessages}</Muted>}
            {shown.messages.map((message) => (
              <Message key={message.stepId} message={message} />
            ))}
          </Stack>
        </div>
      )}
    </Stack>
  );
}

type PreviewMessage = BroadcastPreview["messages"][number];
type Content = { subject?: string; body?: string; address?: string };

function Message({ message: { stepId, type, outcome, sentence, content } }: { message: PreviewMessage }) {
  const kind = type as keyof typeof stepNames;
  const { subject, body = "", address } = (content ?? {}) as Content;
  return (
    <section className={css.message} aria-label={stepNames[kind] ?? type}>
      <p className={css.messageHead}>
        <Icon name={stepIcons[kind]} size={15} />
        <strong>{stepNames[kind] ?? type}</strong>
        <Note>{stepId}</Note>
      </p>
      <p className={css.outcome}>
        <Verdict tone={outcome === "sends" ? "good" : "quiet"} size={14} />
        <span>
          <Sentence text={sentence} />
        </span>
      </p>
      {content &&
        (type === "email" ? (
          <Letter
            views={say.views}
            label={say.as}
            head={
              <>
                <strong>{subject || say.noSubject}</strong>
                {address && <Note>{say.to(address)}</Note>}
              </>
            }
          >
            {(view) => (
              <MailFrame html={body} title={subject || say.noSubject} device={view} height="28rem" scheme="light" />
            )}
          </Letter>
        ) : (
          <Bubble title={subject}>{textOf(body)}</Bubble>
        ))}
    </section>
  );
}

/** Without running or loading anything: a parsed document is not part of the page. */
const textOf = (html: string): string =>
  /<\w/.test(html) ? (new DOMParser().parseFromString(html, "text/html").body.textContent ?? "") : html;
