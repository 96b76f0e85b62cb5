// All texts of one language as a file: downloaded, and imported after a look at what will change.
import { useState } from "react";
import { callOperation, saveFile } from "../../api/client.ts";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { Stack } from "../../kit/data/list.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Field, TextField } from "../../kit/inputs/field.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { type Content, changesOf, defaultLocale } from "./texts.ts";
import css from "./translations.module.css";
import { words } from "./words.ts";

const say = words.files;

export const isLocale = (text: string): boolean => /^[a-z]{2,3}(?:[_-][a-z0-9]{2,8})*$/i.test(text);

export function ExportDialog({ onClose }: { onClose: () => void }) {
  const [locale, setLocale] = useState(defaultLocale);
  const { _id } = useEnvironment();
  const run = async () => {
    try {
      const texts = await callOperation("translations.retrieveMaster", { query: { locale: locale.trim() } }, _id);
      const file = new Blob([`${JSON.stringify(texts, null, 2)}\n`], { type: "application/json" });
      saveFile(file, `${locale.trim()}.json`);
      onClose();
    } catch (error) {
      showError(error);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={say.exportTitle}
      description={say.exportText}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button look="primary" disabled={!isLocale(locale.trim())} onClick={() => void run()}>
            {say.exportAction}
          </Button>
        </>
      }
    >
      <TextField
        label={say.locale}
        hint={say.localeHint}
        value={locale}
        spellCheck={false}
        onChange={({ target }) => setLocale(target.value)}
      />
    </Dialog>
  );
}

type Master = { workflows?: Record<string, Content>; layouts?: Record<string, Content> };

const isMaster = (value: unknown): value is Master => {
  const isObject = (one: unknown) => typeof one === "object" && one !== null && !Array.isArray(one);
  if (!isObject(value)) return false;
  const { workflows = {}, layouts = {} } = value as Master;
  const members = Object.keys(value as object);
  return (
    members.length > 0 &&
    members.every((name) => name === "workflows" || name === "layouts") &&
    [workflows, layouts].every((of) => isObject(of) && Object.values(of).every(isObject))
  );
};

async function readMaster(file: File): Promise<Master | null> {
  try {
    const value: unknown = JSON.parse(await file.text());
    return isMaster(value) ? value : null;
  } catch {
    return null;
  }
}

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [locale, setLocale] = useState("");
  const [master, setMaster] = useState<Master | null>(null);
  const [isBad, setBad] = useState(false);
  const { type, name } = useEnvironment();
  const store = useChange("translations.importMaster", ["translations.listGroups", "translations.retrieve"]);
  const isReady = master !== null && isLocale(locale.trim());
  const stored = useOperation(
    "translations.retrieveMaster",
    { query: { locale: locale.trim() } },
    { enabled: isReady, staleTime: 0 },
  );
  const differences = isReady && stored.data ? differencesOf(stored.data as Master, master) : null;
  const count = differences?.reduce((sum, { changes }) => sum + changes.length, 0) ?? 0;
  const choose = async (file: File | undefined) => {
    if (!file) return;
    const found = await readMaster(file);
    setMaster(found);
    setBad(!found);
    const named = file.name.replace(/\.json$/i, "");
    if (isLocale(named)) setLocale(named);
  };
  const run = () =>
    store.mutate(
      { body: { locale: locale.trim(), masterJson: master! } },
      {
        onSuccess: ({ failed = [], message }) => {
          if (failed.length > 0) {
            return showToast({ title: message, description: `${say.failed} ${failed.join(", ")}`, look: "bad" });
          }
          showToast({ title: say.imported });
          onClose();
        },
      },
    );
  return (
    <Dialog
      isOpen
      look="wide"
      onClose={onClose}
      title={say.importTitle}
      description={type === "prod" ? `${say.importText} ${kitWords.confirm.production(name)}` : say.importText}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button look="primary" disabled={count === 0 || store.isPending} onClick={run}>
            {say.importAction(count)}
          </Button>
        </>
      }
    >
      <Stack>
        {store.error && <ErrorPanel error={store.error} />}
        <Field label={say.file} error={isBad ? say.badFile : undefined}>
          {(described) => (
            <input
              type="file"
              accept=".json,application/json"
              onChange={({ target }) => void choose(target.files?.[0])}
              {...described}
            />
          )}
        </Field>
        <TextField
          label={say.locale}
          hint={say.localeHint}
          error={locale.trim() !== "" && !isLocale(locale.trim()) ? say.badLocale : undefined}
          value={locale}
          spellCheck={false}
          onChange={({ target }) => setLocale(target.value)}
        />
        {stored.error && <ErrorPanel error={stored.error} />}
        {isReady && !stored.data && !stored.error && <Skeleton rows={3} />}
        {differences && <Differences of={differences} />}
      </Stack>
    </Dialog>
  );
}

type Difference = { kind: "workflows" | "layouts"; id: string; changes: ReturnType<typeof changesOf> };

const differencesOf = (stored: Master, given: Master): Difference[] =>
  (["workflows", "layouts"] as const).flatMap((kind) =>
    Object.entries(given[kind] ?? {}).flatMap(([id, content]) => {
      const changes = changesOf(stored[kind]?.[id] ?? {}, content);
      return changes.length === 0 ? [] : [{ kind, id, changes }];
    }),
  );

const shownChanges = 12;

function Differences({ of }: { of: readonly Difference[] }) {
  if (of.length === 0) return <Notice>{say.nothing}</Notice>;
  const all = of.flatMap(({ changes }) => changes);
  const added = all.filter(({ before }) => before === undefined).length;
  const removed = all.filter(({ after }) => after === undefined).length;
  return (
    <section className={css.changes} aria-label={say.willChange}>
      <h3>{say.willChange}</h3>
      <p>{say.summary(added, all.length - added - removed, removed)}</p>
      {of.map(({ kind, id, changes }) => (
        <div key={`${kind} ${id}`}>
          <strong>{id}</strong>
          <ul>
            {changes.slice(0, shownChanges).map(({ key, before, after }) => (
              <li key={key}>
                <code>{key}</code> {before !== undefined && <del>{before}</del>}{" "}
                {after !== undefined && <ins>{after}</ins>}
              </li>
            ))}
            {changes.length > shownChanges && <li>{say.more(changes.length - shownChanges)}</li>}
          </ul>
        </div>
      ))}
    </section>
  );
}
