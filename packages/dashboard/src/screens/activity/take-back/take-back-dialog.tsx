// Taking an event back: what can and cannot be undone, the reason and a correction; then the progress and the
// outcome of the messages.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Retraction } from "@tidings/contract";
import { useState } from "react";
import { operationQuery, useChange, useOperation } from "../../../api/hooks.ts";
import { useEnvironment } from "../../../api/session.tsx";
import { Progress } from "../../../kit/feedback/progress.tsx";
import { ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { Checkbox, TextArea, TextField } from "../../../kit/inputs/field.tsx";
import { Muted, Stack } from "../../../kit/layout/layout.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { FormDialog } from "../../../kit/overlays/form-dialog.tsx";
import { Results } from "./results.tsx";
import css from "./take-back.module.css";
import { words } from "./words.ts";

/** Operations whose responses are outdated after a retraction. */
const stale = ["retractions.list", "activity.listEvents", "notifications.list", "explain.retrieve"] as const;

type TakeBackDialogProps = {
  transactionId: string;
  /** The one that exists already. */
  retraction?: Retraction;
  onClose: () => void;
};

export function TakeBackDialog({ transactionId, retraction, onClose }: TakeBackDialogProps) {
  const [created, setCreated] = useState(retraction);
  return created ? (
    <Followed retraction={created} onClose={onClose} />
  ) : (
    <RequestDialog transactionId={transactionId} onCreated={setCreated} onClose={onClose} />
  );
}

type RequestDialogProps = {
  transactionId: string;
  onCreated: (retraction: Retraction) => void;
  onClose: () => void;
};

type Fields = { reason: string; hasCorrection: boolean; subject: string; body: string };

const correctionOf = ({ hasCorrection, subject, body }: Fields) =>
  hasCorrection && { correction: { ...(subject.trim() && { subject }), body } };

function RequestDialog({ transactionId, onCreated, onClose }: RequestDialogProps) {
  const { _id, type } = useEnvironment();
  const [fields, setFields] = useState<Fields>({ reason: "", hasCorrection: false, subject: "", body: "" });
  // Whatever it says: the counts of a large event are not read again for every letter.
  const correction = fields.hasCorrection && { correction: { body: "…" } };
  const preview = useQuery({
    ...operationQuery(_id, "retractions.preview", { body: { transactionId, ...correction } }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const create = useChange("retractions.create", stale);
  const faults = create.error?.fields ?? {};
  const isAtField = Object.keys(faults).some((field) => field === "reason" || field.startsWith("correction."));
  const set = (changed: Partial<Fields>) => {
    setFields({ ...fields, ...changed });
    create.reset();
  };
  const { data } = preview;
  return (
    <FormDialog
      title={words.title}
      description={
        data && [words.lead(data.people, data.isCapped), type === "prod" && words.production].filter(Boolean).join(" ")
      }
      look="wide"
      submit={words.submit}
      isDanger
      isDisabled={
        create.isPending || !data || fields.reason.trim() === "" || (fields.hasCorrection && fields.body.trim() === "")
      }
      error={isAtField ? undefined : (create.error ?? preview.error)}
      onClose={onClose}
      onSubmit={() =>
        create.mutate(
          { body: { transactionId, reason: fields.reason.trim(), ...correctionOf(fields) } },
          { onSuccess: onCreated },
        )
      }
    >
      {data ? (
        <section className={css.heading} aria-label={words.preview} aria-live="polite">
          <h3>{words.preview}</h3>
          <Results label={words.preview} results={data.results} names={words.expected} empty={words.nothing} />
        </section>
      ) : (
        !preview.error && <Skeleton rows={3} />
      )}
      <TextField
        label={words.reason}
        hint={words.reasonHint}
        value={fields.reason}
        maxLength={500}
        required
        error={faults.reason}
        onChange={({ target }) => set({ reason: target.value })}
      />
      <Checkbox
        label={words.withCorrection}
        checked={fields.hasCorrection}
        onChange={({ target }) => set({ hasCorrection: target.checked })}
      />
      {fields.hasCorrection && (
        <div className={css.correction}>
          <p>{words.correctionText}</p>
          <TextField
            label={words.subject}
            hint={words.subjectHint}
            value={fields.subject}
            maxLength={1_000}
            error={faults["correction.subject"]}
            onChange={({ target }) => set({ subject: target.value })}
          />
          <TextArea
            label={words.body}
            hint={words.bodyHint}
            value={fields.body}
            maxLength={20_000}
            rows={4}
            required
            error={faults["correction.body"]}
            onChange={({ target }) => set({ body: target.value })}
          />
        </div>
      )}
    </FormDialog>
  );
}

/** Progress and result. The last known state is shown until the first one is read. */
function Followed({ retraction, onClose }: { retraction: Retraction; onClose: () => void }) {
  const input = { params: { retractionId: retraction._id } };
  const first = useOperation("retractions.retrieve", input);
  const isRunning = (first.data ?? retraction).status === "running";
  // The same response, asked for again while it changes.
  const { data = retraction, error } = useOperation("retractions.retrieve", input, {
    ...(isRunning && { every: 1_000 }),
  });
  const { people, handled, results, reason, createdBy, status } = data;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={status === "completed" ? words.done(people) : words.isTakingBack}
      description={words.because(reason, createdBy)}
      look="wide"
      actions={<Button onClick={onClose}>{words.close}</Button>}
    >
      <Stack>
        {error && <ErrorPanel error={error} />}
        {status === "running" && (
          <div className={css.heading} role="status">
            <strong>{words.running(handled, people)}</strong>
            <Progress
              label={words.progress}
              total={people}
              done={handled}
              parts={[{ tone: "accent", count: handled }]}
            />
            <Muted>{words.runningText}</Muted>
          </div>
        )}
        {(status === "completed" || Object.keys(results).length > 0) && (
          <Results label={words.results} results={results} names={words.became} empty={words.noResults} />
        )}
      </Stack>
    </Dialog>
  );
}
