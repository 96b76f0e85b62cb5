// Before a replay: what it will do, at which pace, and through which integration.
import { useNavigate } from "@tanstack/react-router";
import type { CallInput, Channel } from "@tidings/contract";
import { type FormEvent, useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { formatDuration } from "../../kit/data/time.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Verdict } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Field, TextField } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { DialogEnd, Muted, Stack } from "../../kit/layout/layout.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import css from "./dead-letters.module.css";
import { words } from "./words.ts";

const text = words.replay;
const any = "";
const usualPace = 10;

/** Operations whose responses are outdated after a replay has started or changed. */
export const staleAfterReplay = [
  "deadLetters.listGroups",
  "deadLetters.list",
  "deadLetterReplays.list",
  "system.retrieve",
] as const;

type Selection = Pick<CallInput<"deadLetterReplays.preview">["body"], "filter" | "ids">;

type ReplayDialogProps = { selection: Selection; total: number; channel: Channel | undefined; onClose: () => void };

export function ReplayDialog({ selection, total, channel, onClose }: ReplayDialogProps) {
  const { type } = useEnvironment();
  const navigate = useNavigate();
  const [pace, setPace] = useState(String(usualPace));
  const [through, setThrough] = useState(any);
  const start = useChange("deadLetterReplays.create", staleAfterReplay);
  const body = { ...selection, ...(through !== any && { integrationIdentifier: through }) };
  const perSecond = /^\d{1,3}$/.test(pace) ? Number(pace) : 0;
  const isPaceGood = perSecond >= 1 && perSecond <= 100;
  const preview = useOperation("deadLetterReplays.preview", { body }, { staleTime: 0, keep: true });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate(
      { body: { ...body, perSecond } },
      {
        onSuccess: ({ id }) => {
          showToast({ title: text.started });
          void navigate({ to: "/dead-letters/replays/$replayId", params: { replayId: id } });
        },
      },
    );
  };
  const count = preview.data?.total ?? total;
  return (
    <Dialog isOpen onClose={onClose} title={text.title(total)} look="wide">
      <form onSubmit={submit}>
        <Stack>
          {start.error && <ErrorPanel error={start.error} />}
          {preview.error && <ErrorPanel error={preview.error} onRetry={preview.refetch} />}
          {!preview.data && !preview.error && <Skeleton rows={3} />}
          {preview.data && <Outcomes preview={preview.data} />}
          <div className={css.pair}>
            <TextField
              label={text.pace}
              value={pace}
              inputMode="numeric"
              error={isPaceGood ? undefined : text.paceBad}
              hint={text.paceHint(formatDuration(Math.ceil(count / Math.max(1, perSecond)) * 1_000))}
              onChange={({ target }) => setPace(target.value.trim())}
            />
            <Through channel={channel} value={through} onChange={setThrough} />
          </div>
          {type === "prod" && preview.data && preview.data.willBeSent > 0 && (
            <Notice tone="warn">{text.production(sentBy(preview.data), channel)}</Notice>
          )}
          <DialogEnd>
            <Button onClick={onClose}>{kitWords.cancel}</Button>
            <Button type="submit" look="primary" disabled={!isPaceGood || start.isPending || preview.data?.total === 0}>
              {text.start}
            </Button>
          </DialogEnd>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Those beyond the ones that were examined are counted as sent. */
const sentBy = ({ willBeSent, examined, total }: Preview): number => willBeSent + Math.max(0, total - examined);

type Preview = NonNullable<ReturnType<typeof useOperation<"deadLetterReplays.preview">>["data"]>;

const Outcomes = ({ preview: { willBeSent, others, examined, total } }: { preview: Preview }) => (
  <section className={css.outcomes} aria-label={text.preview}>
    <div className={css.outcome}>
      <Verdict tone={willBeSent > 0 ? "good" : "quiet"} />
      <span>
        <strong>{willBeSent > 0 ? text.willBeSent(willBeSent) : text.nothing}</strong>
      </span>
    </div>
    {others.map(({ reason, count, text: why, integrationIdentifier }) => (
      <div key={`${reason} ${integrationIdentifier ?? ""}`} className={css.outcome}>
        <Verdict tone={reason === "circuit_open" ? "info" : "warn"} />
        <span>
          <strong>{words.messages(count)}:</strong> {why}
        </span>
      </div>
    ))}
    {examined < total && <Muted>{text.examined(examined)}</Muted>}
  </section>
);

type ThroughProps = { channel: Channel | undefined; value: string; onChange: (identifier: string) => void };

/** Another integration to try first; email and SMS only. */
export function Through({ channel, value, onChange }: ThroughProps) {
  const canChoose = channel === "email" || channel === "sms";
  const { data } = useOperation("integrations.list", {}, { enabled: canChoose });
  const choices = data?.filter((one) => one.channel === channel && one.active) ?? [];
  if (!canChoose || choices.length === 0) return null;
  return (
    <Field label={text.through}>
      {({ id }) => (
        <Select
          id={id}
          isWide
          name={text.through}
          value={value}
          onChange={onChange}
          choices={[
            { value: any, label: text.sameIntegration },
            ...choices.map((one) => ({ value: one.identifier, label: one.name })),
          ]}
        />
      )}
    </Field>
  );
}
