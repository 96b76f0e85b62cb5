// "Send this email again" on a step of a run: that step alone, after a question that names the subscriber, the address
// and the environment. Also who sent it again before.
import type { Channel, ExplainedStep, Explanation } from "@tidings/contract";
import { useState } from "react";
import { useChange, useOperation } from "../../../api/hooks.ts";
import { useMay } from "../../../api/permissions.ts";
import { useEnvironment } from "../../../api/session.tsx";
import { Time } from "../../../kit/data/time.tsx";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { ErrorPanel } from "../../../kit/feedback/states.tsx";
import { Button, LinkButton } from "../../../kit/inputs/button.tsx";
import { Stack } from "../../../kit/layout/layout.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { showToast } from "../../../kit/overlays/toast.tsx";
import { stepKinds } from "../../../steps/facts.gen.ts";
import { words as kitWords } from "../../../words.ts";
import css from "./resend-step.module.css";
import { words } from "./words.ts";

const outcomes: readonly string[] = ["failed", "skipped", "waiting", "sent"] satisfies ExplainedStep["outcome"][];

type ResendProps = { step: ExplainedStep; explanation: Explanation };

export function ResendStep({ step, explanation }: ResendProps) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const { notificationId } = explanation;
  if (notificationId === undefined || stepKinds[step.type] !== "channel") return null;
  const canSend = outcomes.includes(step.outcome) && may("notifications.resendStep");
  const channel = step.type as Channel;
  const resent = (step.details ?? []).filter(({ code }) => code === "resent");
  return (
    <>
      {resent.map(({ _id, createdAt, raw }) => (
        <p key={_id} className={css.resent}>
          {words.sentAgain} {nameIn(raw)}, {createdAt && <Time at={createdAt} />}
        </p>
      ))}
      {canSend && (
        <div className={css.action}>
          <Button size="small" icon="send" onClick={() => setOpen(true)}>
            {step.outcome === "waiting" ? words.now(channel) : words.again(channel)}
          </Button>
        </div>
      )}
      {/* Stays while the step is on its way, and closes itself. */}
      {isOpen && (
        <ResendDialog
          step={step}
          explanation={explanation}
          channel={channel}
          notificationId={notificationId}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function nameIn(raw: string | null | undefined): string {
  const { by } = JSON.parse(raw || "{}") as { by?: string };
  return by ?? "";
}

type DialogProps = ResendProps & { channel: Channel; notificationId: string; onClose: () => void };

function ResendDialog({ step, explanation, channel, notificationId, onClose }: DialogProps) {
  const { subscriberId } = explanation;
  const environment = useEnvironment();
  const subscriber = useOperation("subscribers.retrieve", { params: { subscriberId } }, { staleTime: 0 });
  const resend = useChange("notifications.resendStep", [
    "explain.retrieve",
    "notifications.list",
    "activity.listEvents",
    "deadLetters.listGroups",
  ]);
  const name = [subscriber.data?.firstName, subscriber.data?.lastName].filter(Boolean).join(" ") || subscriberId;
  const address = channel === "email" ? subscriber.data?.email : channel === "sms" ? subscriber.data?.phone : undefined;
  const needsAddress = channel === "email" || channel === "sms";
  const isMissing = needsAddress && subscriber.data !== undefined && !address;
  const place = needsAddress ? (address ?? "…") : words.places[channel];
  const send = () =>
    resend.mutate(
      { params: { notificationId, stepId: step.stepId } },
      {
        onSuccess: () => {
          showToast({ title: words.sent });
          onClose();
        },
      },
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={words.title(channel, step.outcome === "waiting")}
      description={
        isMissing
          ? words.alone
          : [
              words.goesTo(name, place, environment.name),
              environment.type === "prod" && words.real(channel),
              words.alone,
            ]
              .filter(Boolean)
              .join(" ")
      }
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button look="primary" onClick={send} disabled={isMissing || !subscriber.data || resend.isPending}>
            {words.send}
          </Button>
        </>
      }
    >
      <Stack isSmall>
        {subscriber.error && <ErrorPanel error={subscriber.error} />}
        {resend.error && <ErrorPanel error={resend.error} />}
        {isMissing && (
          <Notice
            tone="warn"
            action={
              <LinkButton size="small" to="/subscribers/$subscriberId" params={{ subscriberId }}>
                {words.addAddress}
              </LinkButton>
            }
          >
            {words.missing(name, channel)}
          </Notice>
        )}
      </Stack>
    </Dialog>
  );
}
