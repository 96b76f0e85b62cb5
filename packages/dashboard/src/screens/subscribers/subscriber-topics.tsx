// The topics that a subscriber belongs to.
import { type FormEvent, useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { Icon } from "../../icons.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { Pager } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import css from "./subscribers.module.css";
import { words } from "./words.ts";

const text = words.topics;

export function SubscriberTopics({ subscriberId }: { subscriberId: string }) {
  const [key, setKey] = useState("");
  const [after, setAfter] = useState<string | undefined>();
  const { data, error, refetch } = useOperation(
    "subscribers.listSubscriptions",
    { params: { subscriberId }, query: { limit: 25, after } },
    { keep: true },
  );
  const add = useChange("topicSubscriptions.create", ["subscribers.listSubscriptions"]);
  const remove = useChange("topicSubscriptions.delete", ["subscribers.listSubscriptions"]);
  const { confirm, dialog } = useConfirm();
  const may = useMay();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const topicKey = key.trim();
    if (topicKey === "") return;
    confirm({ title: text.addTitle(topicKey), label: text.addButton }, () =>
      add.mutate(
        { params: { topicKey }, body: { subscriptions: [subscriberId] } },
        {
          onError: showError,
          onSuccess: ({ errors }) => {
            if (errors?.[0]) return showToast({ title: errors[0].message, look: "bad" });
            setKey("");
            showToast({ title: text.added(topicKey) });
          },
        },
      ),
    );
  };
  const leave = (topicKey: string, identifier: string) =>
    confirm({ title: text.removeTitle(topicKey), label: text.remove, isAlways: true, isDanger: true }, () =>
      remove.mutate(
        { params: { topicKey }, body: { subscriptions: [{ identifier, subscriberId }] } },
        { onError: showError, onSuccess: () => showToast({ title: text.removed(topicKey) }) },
      ),
    );
  return (
    <div className={css.stack}>
      {dialog}
      <div className={css.panelHead}>
        <p className={css.muted}>{text.text}</p>
        {may("topicSubscriptions.create") && (
          <form className={css.ask} onSubmit={submit}>
            <TextField
              label={text.add}
              placeholder={text.addLabel}
              value={key}
              spellCheck={false}
              onChange={({ target }) => setKey(target.value)}
            />
            <Button type="submit" disabled={add.isPending || key.trim() === ""}>
              {text.addButton}
            </Button>
          </form>
        )}
      </div>
      <ListView
        rows={data?.data}
        error={error}
        onRetry={refetch}
        empty={<EmptyState icon="users" title={text.none} text={text.noneText} />}
        skeletonRows={3}
      >
        {(rows) => (
          <ul className={css.box} aria-label={text.title}>
            {rows.map(({ _id, identifier, topic, createdAt, contextKeys = [] }) => (
              <li key={_id} className={css.line}>
                <span className={css.lineIcon}>
                  <Icon name="users" />
                </span>
                <span className={css.lineText}>
                  <strong>{topic.name || topic.key}</strong>
                  <span className={css.muted}>
                    {topic.key} · <Time at={createdAt} isRelative />{" "}
                    {contextKeys.map((context) => (
                      <Badge key={context}>{context}</Badge>
                    ))}
                  </span>
                </span>
                {may("topicSubscriptions.delete") && (
                  <Button
                    size="small"
                    onClick={() => leave(topic.key, identifier)}
                    disabled={remove.isPending}
                    aria-label={`${text.remove}: ${topic.key}`}
                  >
                    {text.remove}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </ListView>
      {data && (data.next || after) && (
        <Pager
          onPrevious={after ? () => setAfter(undefined) : undefined}
          onNext={data.next ? () => setAfter(data.next!) : undefined}
        />
      )}
    </div>
  );
}
