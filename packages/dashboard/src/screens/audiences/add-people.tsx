// People for a fixed audience: ids that are pasted, or those of a CSV file.
import type { Audience } from "@tidings/contract";
import { useRef, useState } from "react";
import { useEnvironment } from "../../api/session.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { Progress } from "../../kit/feedback/progress.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { TextArea } from "../../kit/inputs/field.tsx";
import { Muted } from "../../kit/layout/layout.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { idsIn, idsInCsv, isText } from "../../subscribers/pasted-ids.ts";
import { words as kitWords } from "../../words.ts";
import css from "./audiences.module.css";
import { useMembers } from "./use-members.ts";
import { words } from "./words.ts";

const say = words.add;
const most = 100_000;
const shownUnknown = 200;

export function AddPeople({ audience: { audienceId }, onClose }: { audience: Audience; onClose: () => void }) {
  const [text, setText] = useState("");
  const [note, setNote] = useState<string | undefined>();
  const [fault, setFault] = useState<string | undefined>();
  const [unknown, setUnknown] = useState<readonly string[]>([]);
  const file = useRef<HTMLInputElement>(null);
  const { add, progress } = useMembers(audienceId);
  const { type, name } = useEnvironment();
  const ids = idsIn(text);
  const read = async (chosen: File | undefined) => {
    if (!chosen) return;
    const content = await chosen.text();
    const found = isText(content) ? idsInCsv(content) : { ids: [], column: null };
    // What was typed before stays, where the file has nothing to put there.
    if (found.ids.length === 0) return setFault((isText(content) ? say.noIds : say.noText)(chosen.name));
    setFault(undefined);
    setText(found.ids.join("\n"));
    setUnknown([]);
    setNote(found.column === null ? say.fileFirst(chosen.name) : say.fileNote(chosen.name, found.column));
  };
  const submit = async () => {
    const result = await add(ids);
    setUnknown([...unknown, ...result.unknown]);
    setText(result.rest.join("\n"));
    setNote(result.rest.length > 0 ? say.stopped : undefined);
    if (result.rest.length > 0 && result.added === 0) return;
    showToast({ title: say.added(result.added) });
    if (result.unknown.length === 0 && result.rest.length === 0) onClose();
  };
  return (
    <FormDialog
      title={say.title}
      description={type === "prod" ? `${say.text} ${kitWords.confirm.production(name)}` : say.text}
      submit={say.action(ids.length)}
      isDisabled={ids.length === 0 || ids.length > most || progress !== null}
      isDone={unknown.length > 0}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {unknown.length > 0 && (
        <Notice tone="warn">
          {say.unknown(unknown.length)}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled by keyboard */}
          <ul className={css.unknown} tabIndex={0}>
            {unknown.slice(0, shownUnknown).map((id) => (
              <li key={id}>{id}</li>
            ))}
            {unknown.length > shownUnknown && <li>{say.andMore(unknown.length - shownUnknown)}</li>}
          </ul>
        </Notice>
      )}
      <TextArea
        label={say.ids}
        rows={8}
        spellCheck={false}
        value={text}
        hint={note}
        error={ids.length > most ? say.tooMany(most) : fault}
        disabled={progress !== null}
        onChange={({ target }) => {
          setFault(undefined);
          setText(target.value);
        }}
      />
      <div className={css.file}>
        <input
          ref={file}
          type="file"
          accept=".csv,.txt,text/csv,text/plain"
          hidden
          onChange={({ target }) => {
            void read(target.files?.[0]);
            target.value = "";
          }}
        />
        <Button icon="upload" size="small" disabled={progress !== null} onClick={() => file.current?.click()}>
          {say.file}
        </Button>
      </div>
      {progress !== null && (
        <>
          <Progress
            label={say.progress}
            total={ids.length}
            done={progress}
            parts={[{ tone: "accent", count: progress }]}
          />
          <Muted isSmall>{say.adding(progress, ids.length)}</Muted>
        </>
      )}
    </FormDialog>
  );
}
