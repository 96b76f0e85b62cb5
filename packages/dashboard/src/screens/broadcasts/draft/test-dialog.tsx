// Sends the saved draft to named people.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../../api/hooks.ts";
import { Icon } from "../../../icons.tsx";
import { ErrorPanel } from "../../../kit/feedback/states.tsx";
import { Verdict } from "../../../kit/feedback/verdict.tsx";
import { IconButton } from "../../../kit/inputs/button.tsx";
import { Muted } from "../../../kit/layout/layout.tsx";
import { FormDialog } from "../../../kit/overlays/form-dialog.tsx";
import { type Subscriber, SubscriberPicker } from "../../../subscribers/subscriber-picker.tsx";
import { words } from "../words.ts";
import css from "./draft.module.css";

const say = words.test;

export function TestDialog({ broadcastId, onClose }: { broadcastId: string; onClose: () => void }) {
  const [people, setPeople] = useState<readonly Subscriber[]>([]);
  const test = useChange("broadcasts.test");
  const add = (person: Subscriber | undefined) => {
    if (person && !people.some(({ subscriberId }) => subscriberId === person.subscriberId))
      setPeople([...people, person]);
  };
  const submit = () =>
    test.mutate({ params: { broadcastId }, body: { subscriberIds: people.map(({ subscriberId }) => subscriberId) } });
  const nameOf = (id: string) => people.find(({ subscriberId }) => subscriberId === id)?.name ?? id;
  return (
    <FormDialog
      title={say.title}
      description={say.text}
      submit={say.send(people.length)}
      isDisabled={people.length === 0 || test.isPending}
      isDone={test.isSuccess}
      onSubmit={submit}
      onClose={onClose}
    >
      {test.error && <ErrorPanel error={test.error} />}
      {people.length < say.most && (
        <div className={css.picker}>
          <SubscriberPicker key={people.length} label={say.person} subscriber={undefined} onChoose={add} />
        </div>
      )}
      {people.length === 0 && <Muted>{say.none}</Muted>}
      {people.length > 0 && (
        <ul className={css.chips}>
          {people.map(({ subscriberId, name }) => (
            <li key={subscriberId} className={css.chip}>
              <Icon name="user" size={13} />
              {name}
              <IconButton
                label={say.removeOf(name)}
                icon="x"
                size="small"
                onClick={() => setPeople(people.filter((one) => one.subscriberId !== subscriberId))}
              />
            </li>
          ))}
        </ul>
      )}
      {test.data && (
        <div role="status">
          <ul className={css.items}>
            {test.data.data.map(({ transactionId, subscriberId }) => (
              <li key={transactionId}>
                <Verdict tone="good" size={15} />
                <span>
                  {say.sentTo(nameOf(subscriberId))}{" "}
                  <Link className={css.link} to="/activity/$transactionId" params={{ transactionId }} target="_blank">
                    {say.open}
                  </Link>
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </FormDialog>
  );
}
