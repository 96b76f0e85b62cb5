// Search and replace over all workflows and layouts: the hits first, then one save for each chosen one.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toApiError } from "../../../api/api-error.ts";
import { useOperation } from "../../../api/hooks.ts";
import { useEnvironment } from "../../../api/session.tsx";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { Skeleton } from "../../../kit/feedback/states.tsx";
import { Checkbox, TextField } from "../../../kit/inputs/field.tsx";
import { FormDialog } from "../../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../../kit/overlays/toast.tsx";
import { useSettled } from "../../../kit/use-settled.ts";
import { words as kitWords } from "../../../words.ts";
import css from "./replace.module.css";
import { findHits, type Hit, type Search, type Searched, searchedLayout, searchedWorkflow } from "./replace.ts";
import { saveReplaced } from "./save-replaced.ts";
import { words } from "./words.ts";

/** `key`: of all workflows and layouts. */
type Found = Omit<Searched, "parts"> & { key: string; hits: Hit[] };
/** Places of one workflow that the list shows. */
const shownHits = 50;

type Failed = { name: string; reason: string };

export function ReplaceDialog({ onClose }: { onClose: () => void }) {
  const { _id: environmentId, type, name } = useEnvironment();
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [replacement, setReplacement] = useState("");
  const [isCaseSensitive, setCaseSensitive] = useState(true);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [failed, setFailed] = useState<readonly Failed[]>([]);
  const [isRunning, setRunning] = useState(false);
  const settled = useSettled(text, 250);
  const { data, error } = useOperation("files.export", { query: {} }, { staleTime: 0 });
  const search: Search = { text: settled, isCaseSensitive };
  const { workflows = [], layouts = [] } = data?.resources ?? {};
  const searched = [...workflows.map(searchedWorkflow), ...layouts.map(searchedLayout)];
  const found: Found[] = searched.flatMap(({ parts, ...one }) => {
    const hits = findHits(parts, search);
    return hits.length === 0 ? [] : [{ ...one, key: `${one.kind} ${one.id}`, hits }];
  });
  const chosen = found.filter(({ key }) => !left.has(key));
  const count = chosen.reduce((sum, { hits }) => sum + hits.reduce((of, hit) => of + hit.count, 0), 0);
  const sum = {
    workflows: chosen.filter(({ kind }) => kind === "workflow").length,
    layouts: chosen.filter(({ kind }) => kind === "layout").length,
  };
  const run = async () => {
    setRunning(true);
    const refused: Failed[] = [];
    for (const { kind, id, name, hits } of chosen) {
      const locales = [...new Set(hits.flatMap(({ locale }) => locale ?? []))];
      const isInContent = hits.some(({ locale }) => locale === undefined);
      try {
        await saveReplaced({ kind, id, locales, isInContent, search, replacement }, environmentId);
      } catch (error) {
        refused.push({ name, reason: toApiError(error).message });
      }
    }
    await client.invalidateQueries({
      predicate: ({ queryKey: [environment, id] }) =>
        environment === environmentId && /^(?:workflows|layouts|translations|files)\./.test(String(id)),
    });
    setRunning(false);
    setFailed(refused);
    if (refused.length > 0) return;
    showToast({ title: words.done(sum) });
    onClose();
  };
  return (
    <FormDialog
      look="wide"
      title={words.title}
      description={type === "prod" ? `${words.text} ${kitWords.confirm.production(name)}` : words.text}
      submit={isRunning ? words.running : words.action(count, sum)}
      isDisabled={count === 0 || isRunning || text !== settled}
      error={error}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      <div className={css.fields}>
        <TextField
          label={words.search}
          value={text}
          maxLength={1_000}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => setText(target.value)}
        />
        <TextField
          label={words.replacement}
          value={replacement}
          maxLength={10_000}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => setReplacement(target.value)}
        />
      </div>
      <Checkbox
        label={words.caseSensitive}
        checked={isCaseSensitive}
        onChange={({ target }) => setCaseSensitive(target.checked)}
      />
      {failed.length > 0 && (
        <Notice tone="bad">
          {words.failed} {failed.map((one) => `${one.name}: ${one.reason}`).join(" ")}
        </Notice>
      )}
      {!data && !error && <Skeleton rows={3} />}
      {data && settled !== "" && found.length === 0 && <p className={css.weak}>{words.none}</p>}
      {found.length > 0 && (
        <ul className={css.found} aria-label={words.hits}>
          {found.map((one) => (
            <li key={one.key}>
              <Checkbox
                label={
                  <>
                    <strong>{one.name}</strong> {one.kind === "layout" && words.isLayout}
                  </>
                }
                checked={!left.has(one.key)}
                disabled={isRunning}
                onChange={({ target }) => setLeft(withId(left, one.key, !target.checked))}
              />
              <ul>
                {one.hits.slice(0, shownHits).map((hit) => (
                  <li key={`${hit.place} ${hit.path}`}>
                    <span className={css.weak}>
                      {hit.place}, {hit.path}
                      {hit.count > 1 && ` (${hit.count})`}:
                    </span>{" "}
                    {hit.before}
                    <del>{hit.match}</del>
                    {replacement !== "" && <ins>{replacement}</ins>}
                    {hit.after}
                  </li>
                ))}
                {one.hits.length > shownHits && <li className={css.weak}>{words.more(one.hits.length - shownHits)}</li>}
              </ul>
            </li>
          ))}
        </ul>
      )}
    </FormDialog>
  );
}

function withId(ids: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(ids);
  if (isIn) next.add(id);
  else next.delete(id);
  return next;
}
