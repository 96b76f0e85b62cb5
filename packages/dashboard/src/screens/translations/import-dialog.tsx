// A file with the texts of one language, stored after a look at what will change.
import { useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { Skeleton } from "../../kit/feedback/states.tsx";
import { Field } from "../../kit/inputs/field.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { LocaleField } from "./locale-field.tsx";
import { readLocale } from "./locales.ts";
import { fromCsv, isMaster, type Master, type TextLine, withLines } from "./text-files.ts";
import { changesOf, defaultLocale } from "./texts.ts";
import css from "./translations.module.css";
import { words } from "./words.ts";

const say = words.files;

type Read = { master: Master } | { lines: TextLine[] } | null;

async function readFile(file: File): Promise<Read> {
  const text = await file.text();
  try {
    const value: unknown = JSON.parse(text);
    return isMaster(value) ? { master: value } : null;
  } catch {
    const lines = fromCsv(text);
    return lines && { lines };
  }
}

export function ImportDialog({ known, onClose }: { known: readonly string[]; onClose: () => void }) {
  const [text, setText] = useState("");
  const [read, setRead] = useState<Read>(null);
  const [isBad, setBad] = useState(false);
  const { type, name } = useEnvironment();
  const store = useChange("translations.importMaster", [
    "translations.listGroups",
    "translations.retrieveGroup",
    "translations.retrieve",
    "translations.retrieveMaster",
  ]);
  const locale = readLocale(text);
  const isReady = read !== null && locale !== null;
  const options = { enabled: isReady, staleTime: 0 };
  const stored = useOperation("translations.retrieveMaster", { query: { locale: locale ?? defaultLocale } }, options);
  const reference = useOperation("translations.retrieveMaster", { query: { locale: defaultLocale } }, options);
  const exists = useExisting(isReady);
  const master =
    isReady && stored.data && reference.data
      ? "master" in read
        ? read.master
        : withLines(read.lines, stored.data as Master, reference.data as Master)
      : null;
  const all = master && exists ? differencesOf(stored.data as Master, master) : null;
  const differences = all?.filter(exists!) ?? null;
  const unknown = all?.filter((one) => !exists!(one)) ?? [];
  const count = differences?.reduce((sum, { changes }) => sum + changes.length, 0) ?? 0;
  const choose = async (file: File | undefined) => {
    if (!file) return;
    const found = await readFile(file);
    setRead(found);
    setBad(!found);
    const named = readLocale(file.name.replace(/\.(?:json|csv)$/i, ""));
    if (named) setText(named);
  };
  const run = () =>
    store.mutate(
      { body: { locale: locale!, masterJson: only(master!, differences!) } },
      {
        onSuccess: ({ failed = [], message }) => {
          if (failed.length === 0) showToast({ title: say.imported });
          else showToast({ title: message, description: `${say.failed} ${failed.join(", ")}`, look: "bad" });
          onClose();
        },
      },
    );
  return (
    <FormDialog
      look="wide"
      title={say.importTitle}
      description={type === "prod" ? `${say.importText} ${kitWords.confirm.production(name)}` : say.importText}
      submit={say.importAction(count)}
      isDisabled={count === 0 || store.isPending}
      error={store.error ?? stored.error ?? reference.error}
      onSubmit={run}
      onClose={onClose}
    >
      <Field label={say.file} error={isBad ? say.badFile : undefined}>
        {(described) => (
          <input
            type="file"
            accept=".json,.csv,application/json,text/csv"
            onChange={({ target }) => void choose(target.files?.[0])}
            {...described}
          />
        )}
      </Field>
      <LocaleField value={text} known={known} onChange={setText} />
      {isReady && !all && !stored.error && <Skeleton rows={3} />}
      {unknown.length > 0 && (
        <Notice icon="alert">{`${say.unknown} ${[...new Set(unknown.map(({ id }) => id))].join(", ")}`}</Notice>
      )}
      {differences && (unknown.length === 0 || differences.length > 0) && <Differences of={differences} />}
    </FormDialog>
  );
}

type Difference = { kind: "workflows" | "layouts"; id: string; changes: ReturnType<typeof changesOf> };

/** Whether the workflow or layout exists; with more than a page of them, the service says it when it stores texts. */
function useExisting(enabled: boolean): ((one: Difference) => boolean) | null {
  const query = { limit: 100, orderBy: "name", orderDirection: "ASC" } as const;
  const workflows = useOperation("workflows.list", { query }, { enabled });
  const layouts = useOperation("layouts.list", { query }, { enabled });
  if (workflows.error || layouts.error) return () => true;
  if (!workflows.data || !layouts.data) return null;
  const ids = {
    workflows: new Set(workflows.data.workflows.map(({ workflowId }) => workflowId)),
    layouts: new Set(layouts.data.layouts.map(({ layoutId }) => layoutId)),
  };
  const isWhole = { workflows: workflows.data.totalCount <= 100, layouts: layouts.data.totalCount <= 100 };
  return ({ kind, id }) => !isWhole[kind] || ids[kind].has(id);
}

const differencesOf = (stored: Master, given: Master): Difference[] =>
  (["workflows", "layouts"] as const).flatMap((kind) =>
    Object.entries(given[kind] ?? {}).flatMap(([id, content]) => {
      const changes = changesOf(stored[kind]?.[id] ?? {}, content);
      return changes.length === 0 ? [] : [{ kind, id, changes }];
    }),
  );

/** What changes nothing is not stored again. */
const only = (master: Master, differences: readonly Difference[]): Master => ({
  workflows: pick(master.workflows ?? {}, differences, "workflows"),
  layouts: pick(master.layouts ?? {}, differences, "layouts"),
});

const pick = (texts: NonNullable<Master["workflows"]>, of: readonly Difference[], kind: Difference["kind"]) =>
  Object.fromEntries(of.filter((one) => one.kind === kind).map(({ id }) => [id, texts[id]!]));

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
