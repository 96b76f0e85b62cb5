// Whom the simulated event goes to: subscribers and a topic; and its payload.
import { useOperation } from "../../../api/hooks.ts";
import { Icon } from "../../../icons.tsx";
import { IconButton } from "../../../kit/inputs/button.tsx";
import { Select } from "../../../kit/inputs/select.tsx";
import { SubscriberPicker } from "../../../subscribers/subscriber-picker.tsx";
import type { Values } from "../editor/model.ts";
import { SamplePayload } from "../preview/sample-bar.tsx";
import type { Sample } from "../preview/use-sample.ts";
import css from "./simulator.module.css";
import { words } from "./words.ts";

export type Addressee =
  | { kind: "subscriber"; subscriberId: string; name: string }
  | { kind: "topic"; topicKey: string; name: string };

type RecipientsProps = {
  to: readonly Addressee[];
  sample: Sample;
  /** What the steps use: values that the payload does not have are offered. */
  values: Values;
  onChange: (to: readonly Addressee[]) => void;
};

const keyOf = (one: Addressee): string => (one.kind === "subscriber" ? `p ${one.subscriberId}` : `t ${one.topicKey}`);

export function Recipients({ to, sample, values, onChange }: RecipientsProps) {
  const topics = useOperation("topics.list", { query: { limit: 100 } }, { staleTime: 60_000 }).data?.data ?? [];
  const topic = to.find((one) => one.kind === "topic");
  const add = (one: Addressee) => onChange([...to.filter((other) => keyOf(other) !== keyOf(one)), one]);
  return (
    <div className={css.recipients}>
      <div className={css.recipientRow}>
        <ul className={css.chips} aria-label={words.to}>
          {to.map((one) => (
            <li key={keyOf(one)} className={css.chip}>
              <Icon name={one.kind === "subscriber" ? "users" : "hash"} size={13} />
              {one.name}
              <IconButton
                label={words.removeRecipient(one.name)}
                icon="x"
                size="small"
                onClick={() => onChange(to.filter((other) => other !== one))}
              />
            </li>
          ))}
        </ul>
        <span className={css.picker}>
          <SubscriberPicker
            label={words.addSubscriber}
            subscriber={undefined}
            onChoose={(subscriber) => subscriber && add({ kind: "subscriber", ...subscriber })}
          />
        </span>
        {topics.length > 0 && (
          <Select
            name={words.topic}
            value={topic?.topicKey ?? ""}
            isSet={topic !== undefined}
            choices={[
              { value: "", label: words.noTopic },
              ...topics.map(({ key, name }) => ({ value: key, label: name || key })),
            ]}
            onChange={(topicKey) => {
              const subscribers = to.filter(({ kind }) => kind === "subscriber");
              const name = topics.find(({ key }) => key === topicKey)?.name || topicKey;
              onChange(topicKey === "" ? subscribers : [...subscribers, { kind: "topic", topicKey, name }]);
            }}
          />
        )}
        <SamplePayload sample={sample} values={values} />
      </div>
    </div>
  );
}
