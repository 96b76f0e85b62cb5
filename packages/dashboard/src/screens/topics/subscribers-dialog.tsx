// Subscribers in bulk by their ids: added to a topic, or removed from it.
import { useState } from "react";
import { useEnvironment } from "../../api/session.tsx";
import { Stack } from "../../kit/data/list.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { TextArea } from "../../kit/inputs/field.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { idsIn } from "../../subscribers/pasted-ids.ts";
import { words as kitWords } from "../../words.ts";
import css from "./topics.module.css";
import { type MemberResult, useMemberChanges } from "./use-member-changes.ts";
import { words } from "./words.ts";

const say = words.paste;
const most = 5_000;
const shownErrors = 8;

type SubscribersDialogProps = { topicKey: string; mode: "add" | "remove"; onClose: () => void };

export function SubscribersDialog({ topicKey, mode, onClose }: SubscribersDialogProps) {
  const [text, setText] = useState("");
  const [result, setResult] = useState<MemberResult | null>(null);
  const { change, progress, isBusy } = useMemberChanges(topicKey, mode);
  const { type, name } = useEnvironment();
  const ids = idsIn(text);
  const isAdding = mode === "add";
  const description = isAdding ? say.addText : say.removeText;
  const run = async () => {
    const found = await change(ids);
    if (!found) return;
    showToast({ title: isAdding ? say.added(found.done) : say.removed(found.done) });
    if (found.errors.length === 0) return onClose();
    setResult(found);
    setText(found.errors.map(({ subscriberId }) => subscriberId).join("\n"));
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={isAdding ? say.addTitle : say.removeTitle}
      description={type === "prod" ? `${description} ${kitWords.confirm.production(name)}` : description}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button
            look={isAdding ? "primary" : "dangerPrimary"}
            disabled={isBusy || ids.length === 0 || ids.length > most}
            onClick={() => void run()}
          >
            {progress !== null
              ? say.progress(progress, ids.length)
              : isAdding
                ? say.add(ids.length)
                : say.remove(ids.length)}
          </Button>
        </>
      }
    >
      <Stack>
        {result && (
          <Notice tone="warn">
            <p>{say.failed(result.errors.length)}</p>
            <ul className={css.failures}>
              {result.errors.slice(0, shownErrors).map(({ subscriberId, message }) => (
                <li key={subscriberId}>{message}</li>
              ))}
              {result.errors.length > shownErrors && <li>{say.andMore(result.errors.length - shownErrors)}</li>}
            </ul>
          </Notice>
        )}
        <TextArea
          label={say.ids}
          hint={say.idsHint}
          error={ids.length > most ? say.tooMany : undefined}
          rows={8}
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </Stack>
    </Dialog>
  );
}
