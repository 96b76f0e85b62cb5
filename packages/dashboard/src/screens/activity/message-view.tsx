// A message of a step: where it went, what it said, and every call to a provider.
import type { ExplainedMessage } from "@tidings/contract";
import { useChange, useOperation } from "../../api/hooks.ts";
import { Code } from "../../kit/data/code.tsx";
import { MessageFrame } from "../../kit/data/html-frame.tsx";
import { formatDuration, Time } from "../../kit/data/time.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Facts } from "../../kit/layout/page.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import css from "./run.module.css";
import { words } from "./words.ts";

type MessageViewProps = { message: ExplainedMessage; transactionId: string };

export function MessageView({ message, transactionId }: MessageViewProps) {
  const { channel, content, subject, attempts = [], errorText } = message;
  const isHtml = channel === "email" && /<\w/.test(content ?? "");
  return (
    <div className={css.message}>
      <Facts
        of={[
          [words.to, message.address],
          [words.provider, providerText(message)],
          [words.error, message.status === "error" ? errorText : undefined],
          [words.subject, isHtml ? undefined : subject],
        ]}
      />
      {message.status === "error" && message._id !== undefined && (
        <DeadLetterLine messageId={message._id} transactionId={transactionId} />
      )}
      {attempts.length > 0 && <Attempts attempts={attempts} />}
      {content !== undefined && content !== "" && (
        <details className={css.details} open={isHtml ? undefined : content.length < 400}>
          <summary>{words.content}</summary>
          {isHtml ? (
            <figure className={css.letter}>
              <figcaption>{subject}</figcaption>
              <MessageFrame html={content} title={subject ?? words.content} />
            </figure>
          ) : (
            <Code text={content} label={words.content} />
          )}
          {message.isTruncated && <p className={css.weak}>{words.truncated}</p>}
        </details>
      )}
    </div>
  );
}

function providerText({ providerId, integrationIdentifier }: ExplainedMessage): string | undefined {
  if (providerId === undefined || providerId === "svc") return undefined;
  return integrationIdentifier === undefined ? providerId : `${providerId} (${integrationIdentifier})`;
}

function Attempts({ attempts }: { attempts: NonNullable<ExplainedMessage["attempts"]> }) {
  return (
    <table className={css.attempts}>
      <caption>{words.attempts}</caption>
      <thead>
        <tr>
          <th scope="col">{words.attempt}</th>
          <th scope="col">{words.integration}</th>
          <th scope="col">{words.answer}</th>
          <th scope="col">{words.took}</th>
        </tr>
      </thead>
      <tbody>
        {attempts.map(({ number, integrationIdentifier, providerId, outcome, reason, startedAt, finishedAt }) => (
          <tr key={`${integrationIdentifier} ${number} ${startedAt}`}>
            <td>
              {number} · <Time at={startedAt} />
            </td>
            <td>{integrationIdentifier ?? providerId}</td>
            <td>
              <Badge tone={outcome === "accepted" ? "good" : outcome === "running" ? "info" : "bad"} isSquare>
                {outcome}
              </Badge>
              {reason && <span className={css.attemptReason}>{reason}</span>}
            </td>
            <td>{finishedAt && formatDuration(Date.parse(finishedAt) - Date.parse(startedAt))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A message that was given up can be sent again, once the cause is mended. */
function DeadLetterLine({ messageId, transactionId }: { messageId: string; transactionId: string }) {
  const letters = useOperation("deadLetters.list", { query: { transactionId, status: "open", limit: 100 } });
  const replay = useChange("deadLetters.replay", ["deadLetters.list", "explain.retrieve", "notifications.list"]);
  const letter = letters.data?.data.find((each) => each.messageId === messageId);
  if (!letter) return null;
  const send = () =>
    replay.mutate(
      { params: { id: letter.id } },
      { onSuccess: () => showToast({ title: words.replayed }), onError: showError },
    );
  return (
    <p className={css.letterLine}>
      {words.deadLetter(letter.attempts)}
      <Button size="small" icon="refresh" onClick={send} disabled={replay.isPending}>
        {words.replay}
      </Button>
    </p>
  );
}
