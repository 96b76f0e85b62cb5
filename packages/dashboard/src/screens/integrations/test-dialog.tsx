// One event for one person through one integration, to see that it works.

import { useNavigate } from "@tanstack/react-router";
import type { Channel, Integration, StepIn } from "@tidings/contract";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { callOperation } from "../../api/client.ts";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useEnvironment, useSession } from "../../api/session.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Field, TextField } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { channelNames } from "../../outcomes/channel-names.ts";
import { words as kitWords } from "../../words.ts";
import css from "./integrations.module.css";
import { words } from "./words.ts";

const plain = "";
const addressFields = { email: "email", sms: "phone" } as const;

export function TestDialog({ integration, onClose }: { integration: Integration; onClose: () => void }) {
  const { channel, identifier, active } = integration;
  const { name, type } = useEnvironment();
  const { person: member } = useSession();
  const environment = useEnvironment();
  const navigate = useNavigate();
  const workflows = useOperation("workflows.list", { query: { limit: 100 } });
  const trigger = useChange("events.trigger");
  const [workflowId, setWorkflowId] = useState(plain);
  const [subscriberId, setSubscriberId] = useState(member.email);
  const [address, setAddress] = useState(channel === "email" ? member.email : "");
  const [error, setError] = useState<unknown>(null);
  const own = workflows.data?.workflows.filter(({ stepTypeOverviews }) => stepTypeOverviews.includes(channel)) ?? [];
  const plainId = `test-${channel}`;
  const addressField = channel in addressFields ? addressFields[channel as keyof typeof addressFields] : undefined;

  const send = async (event: FormEvent) => {
    event.preventDefault();
    setError(null);
    try {
      if (workflowId === plain) await ensureWorkflow(plainId, channel, environment._id);
      trigger.mutate(
        {
          body: {
            name: workflowId === plain ? plainId : workflowId,
            to: {
              subscriberId: subscriberId.trim(),
              ...(addressField && address && { [addressField]: address.trim() }),
            },
            payload: {},
            overrides: { [channel]: { integrationIdentifier: identifier } },
          },
        },
        {
          onError: setError,
          onSuccess: ({ transactionId }) => {
            showToast({ title: words.test.sent });
            onClose();
            if (transactionId) void navigate({ to: "/activity/$transactionId", params: { transactionId } });
          },
        },
      );
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <Dialog isOpen onClose={onClose} title={words.test.title} description={words.test.text}>
      <form className={css.form} onSubmit={send}>
        {error !== null && <ErrorPanel error={error} />}
        {!active && <Notice tone="warn">{words.test.inactive}</Notice>}
        {type === "prod" && <Notice tone="warn">{kitWords.confirm.production(name)}</Notice>}
        <Field label={words.test.workflow} hint={workflowId === plain ? words.test.plainNote(plainId) : undefined}>
          {({ id }) => (
            <Select
              id={id}
              isWide
              name={words.test.workflow}
              value={workflowId}
              onChange={setWorkflowId}
              choices={[
                { value: plain, label: words.test.plain },
                ...own
                  .filter((workflow) => workflow.workflowId !== plainId)
                  .map((workflow) => ({ value: workflow.workflowId, label: workflow.name })),
              ]}
            />
          )}
        </Field>
        <TextField
          label={words.test.subscriber}
          hint={addressField ? undefined : words.test.subscriberHint}
          value={subscriberId}
          required
          spellCheck={false}
          onChange={({ target }) => setSubscriberId(target.value)}
        />
        {addressField && (
          <TextField
            label={`${words.test.address[channel as keyof typeof addressFields]} (${words.optional})`}
            hint={words.test.addressHint}
            value={address}
            onChange={({ target }) => setAddress(target.value)}
          />
        )}
        <div className={css.dialogEnd}>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button type="submit" look="primary" disabled={trigger.isPending || !active || subscriberId.trim() === ""}>
            {words.test.send}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Creates the workflow for plain test messages; an existing one is used unchanged. */
async function ensureWorkflow(workflowId: string, channel: Channel, environmentId: string): Promise<void> {
  const { subject, body, workflowName } = words.test;
  const controlValues = channel === "email" || channel === "push" ? { subject, body } : { body };
  const steps = [{ name: channelNames[channel], type: channel, controlValues } as StepIn];
  await callOperation("workflows.retrieve", { params: { workflowId }, query: {} }, environmentId).catch(
    (error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      const content = { workflowId, name: workflowName(channelNames[channel]), active: true, steps };
      return callOperation("workflows.create", { body: content }, environmentId);
    },
  );
}
