// Search and replace over all workflows: the hits first, then one saved version for each chosen workflow.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toApiError } from "../../../api/api-error.ts";
import { callOperation } from "../../../api/client.ts";
import { useOperation } from "../../../api/hooks.ts";
import { useEnvironment } from "../../../api/session.tsx";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { Skeleton } from "../../../kit/feedback/states.tsx";
import { Checkbox, TextField } from "../../../kit/inputs/field.tsx";
import { FormDialog } from "../../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../../kit/overlays/toast.tsx";
import { useSettled } from "../../../kit/use-settled.ts";
import { words as kitWords } from "../../../words.ts";
import { draftOf, toUpdate } from "../editor/model.ts";
import css from "./replace.module.css";
import { findHits, type Hit, replaceIn, type Search } from "./replace.ts";
import { words } from "./words.ts";

type Found = { workflowId: string; name: string; hits: Hit[] };
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
  const found: Found[] = (data?.resources.workflows ?? []).flatMap(({ workflowId, name, steps }) => {
    const hits = findHits(
      steps.map(({ stepId, name = stepId, controlValues = {} }) => ({ stepId, name, controlValues })),
      search,
    );
    return hits.length === 0 ? [] : [{ workflowId, name, hits }];
  });
  const chosen = found.filter(({ workflowId }) => !left.has(workflowId));
  const count = chosen.reduce((sum, { hits }) => sum + hits.reduce((of, hit) => of + hit.count, 0), 0);
  const run = async () => {
    setRunning(true);
    const refused: Failed[] = [];
    for (const { workflowId, name } of chosen) {
      try {
        await replaceOne(workflowId, search, replacement, environmentId);
      } catch (error) {
        refused.push({ name, reason: toApiError(error).message });
      }
    }
    await client.invalidateQueries({
      predicate: ({ queryKey: [environment, id] }) =>
        environment === environmentId && /^(?:workflows|files)\./.test(String(id)),
    });
    setRunning(false);
    setFailed(refused);
    if (refused.length > 0) return;
    showToast({ title: words.done(chosen.length) });
    onClose();
  };
  return (
    <FormDialog
      look="wide"
      title={words.title}
      description={type === "prod" ? `${words.text} ${kitWords.confirm.production(name)}` : words.text}
      submit={isRunning ? words.running : words.action(count, chosen.length)}
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
            <li key={one.workflowId}>
              <Checkbox
                label={<strong>{one.name}</strong>}
                checked={!left.has(one.workflowId)}
                disabled={isRunning}
                onChange={({ target }) => setLeft(withId(left, one.workflowId, !target.checked))}
              />
              <ul>
                {one.hits.map((hit) => (
                  <li key={`${hit.step} ${hit.path}`}>
                    <span className={css.weak}>
                      {hit.step}, {hit.path}
                      {hit.count > 1 && ` (${hit.count})`}:
                    </span>{" "}
                    {hit.before}
                    <del>{hit.match}</del>
                    {replacement !== "" && <ins>{replacement}</ins>}
                    {hit.after}
                  </li>
                ))}
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

/** Through the usual update with the version that was read: another member's save in between is not overwritten. */
async function replaceOne(workflowId: string, search: Search, replacement: string, environmentId: string) {
  const workflow = await callOperation("workflows.retrieve", { params: { workflowId }, query: {} }, environmentId);
  const draft = draftOf(workflow);
  const body = toUpdate({ ...draft, steps: replaceIn(draft.steps, search, replacement) }, workflow, workflow.versionId);
  await callOperation("workflows.update", { params: { workflowId: workflow._id }, body }, environmentId);
}
