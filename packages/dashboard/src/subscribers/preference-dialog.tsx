// One preference of many subscribers at once: of those that are selected, or of a whole topic.
import { useQueryClient } from "@tanstack/react-query";
import type { Channel } from "@tidings/contract";
import { useState } from "react";
import { callOperation } from "../api/client.ts";
import { useOperation } from "../api/hooks.ts";
import { useEnvironment } from "../api/session.tsx";
import { Stack } from "../kit/data/list.tsx";
import { ErrorPanel } from "../kit/feedback/states.tsx";
import { Button } from "../kit/inputs/button.tsx";
import { choicesOf } from "../kit/inputs/choices.ts";
import { Field } from "../kit/inputs/field.tsx";
import { Select } from "../kit/inputs/select.tsx";
import { Dialog } from "../kit/overlays/dialog.tsx";
import { showToast } from "../kit/overlays/toast.tsx";
import { channelNames } from "../outcomes/channel-names.ts";
import { words as kitWords } from "../words.ts";
import css from "./preference-dialog.module.css";
import { words } from "./words.ts";

const say = words.preference;
const perRequest = 500;
const most = 5_000;
const everything = "\u0000all";

type PreferenceDialogProps = {
  onClose: () => void;
} & ({ subscriberIds: readonly string[]; topicKey?: undefined } | { topicKey: string; subscriberIds?: undefined });

export function PreferenceDialog({ subscriberIds, topicKey, onClose }: PreferenceDialogProps) {
  const { _id, type, name } = useEnvironment();
  const client = useQueryClient();
  const [workflowId, setWorkflow] = useState(everything);
  const [channel, setChannel] = useState<Channel>("email");
  const [choice, setChoice] = useState<"off" | "on">("off");
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const { data } = useOperation("workflows.list", { query: { limit: 100, orderBy: "name", orderDirection: "ASC" } });
  const workflows = data?.workflows ?? [];
  const workflow = workflows.find((one) => one.workflowId === workflowId);
  const count = subscriberIds?.length ?? null;

  const apply = async () => {
    setBusy(true);
    setError(null);
    try {
      const ids = subscriberIds ?? (await membersOf(topicKey, _id));
      let [updated, missing] = [0, 0];
      for (let at = 0; at < ids.length; at += perRequest) {
        const body = {
          subscriberIds: ids.slice(at, at + perRequest),
          channels: { [channel]: choice === "on" },
          ...(workflowId !== everything && { workflowId }),
        };
        const result = await callOperation("preferences.updateMany", { body }, _id);
        updated += result.updated;
        missing += result.notFound.length;
      }
      await client.invalidateQueries({ queryKey: [_id, "subscribers.retrievePreferences"] });
      showToast({ title: say.done(updated), ...(missing > 0 && { description: say.unknown(missing) }) });
      onClose();
    } catch (found) {
      setError(found);
    } finally {
      setBusy(false);
    }
  };

  const sentence = say.sentence(
    channelNames[channel],
    workflow?.name,
    choice === "on",
    count === null ? say.everyone : words.subscribers(count),
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={count === null ? say.titleAll : say.title(count)}
      description={type === "prod" ? `${say.text} ${kitWords.confirm.production(name)}` : say.text}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button look="primary" disabled={isBusy} onClick={() => void apply()}>
            {say.apply(count)}
          </Button>
        </>
      }
    >
      <Stack>
        {error !== null && <ErrorPanel error={error} />}
        <Field label={say.workflow}>
          {({ id }) => (
            <Select
              id={id}
              name={say.workflow}
              isWide
              value={workflowId}
              choices={[
                { value: everything, label: say.allWorkflows },
                ...workflows.map((one) => ({ value: one.workflowId, label: one.name })),
              ]}
              onChange={setWorkflow}
            />
          )}
        </Field>
        <div className={css.pair}>
          <Field label={say.channel}>
            {({ id }) => (
              <Select
                id={id}
                name={say.channel}
                isWide
                value={channel}
                choices={choicesOf(channelNames)}
                onChange={setChannel}
              />
            )}
          </Field>
          <Field label={say.choice}>
            {({ id }) => (
              <Select
                id={id}
                name={say.choice}
                isWide
                value={choice}
                choices={(["off", "on"] as const).map((value) => ({ value, label: say.choices[value] }))}
                onChange={setChoice}
              />
            )}
          </Field>
        </div>
        <p className={css.sentence}>{sentence}</p>
      </Stack>
    </Dialog>
  );
}

/** The ids of all members of a topic, each once. */
async function membersOf(topicKey: string, environmentId: string): Promise<string[]> {
  const ids = new Set<string>();
  for (let after: string | undefined; ; ) {
    const query: { limit: number; after?: string } = { limit: 100, after };
    const page = await callOperation("topicSubscriptions.list", { params: { topicKey }, query }, environmentId);
    for (const { subscriber } of page.data) ids.add(subscriber.subscriberId);
    if (ids.size > most) throw new Error(say.tooMany);
    if (!page.next) return [...ids];
    after = page.next;
  }
}
