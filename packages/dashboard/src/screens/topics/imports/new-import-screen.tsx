// A new import: the file, how it is read, a dry run with its report, then the import.
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ImportKind } from "@tidings/contract";
import { type DragEvent, useId, useState } from "react";
import { useChange, useOperation } from "../../../api/hooks.ts";
import { requiredRole, useMay } from "../../../api/permissions.ts";
import { Icon } from "../../../icons.tsx";
import { Stack } from "../../../kit/data/list.tsx";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../../kit/feedback/states.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { choicesOf } from "../../../kit/inputs/choices.ts";
import { Field } from "../../../kit/inputs/field.tsx";
import { Select } from "../../../kit/inputs/select.tsx";
import { Card, Facts, Page } from "../../../kit/layout/page.tsx";
import { useConfirm } from "../../../kit/overlays/confirm.tsx";
import { words as kitWords } from "../../../words.ts";
import { ImportReport, isFinished } from "./import-report.tsx";
import css from "./imports.module.css";
import { useImport } from "./use-import.ts";
import { words } from "./words.ts";

const newImportRoute = getRouteApi("/shell/imports/new");

const say = words.create;
const back = { to: "/topics", search: { tab: "imports" }, label: words.list.title } as const;
const maxBytes = 10_000_000;
/** Columns that fit side by side in most windows. */
const widestPreview = 5;
/** The beginning of a file shows how it is read. */
const previewCharacters = 60_000;

type Chosen = { name: string; bytes: number; text: string };

const sizeOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000).toLocaleString()} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

export function NewImportScreen() {
  const { kind = "subscribers" } = newImportRoute.useSearch();
  const navigate = newImportRoute.useNavigate();
  const [file, setFile] = useState<Chosen | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const may = useMay();
  const choose = async (chosen: File | undefined) => {
    if (!chosen) return;
    setFile(null);
    setFault(null);
    if (chosen.size > maxBytes) return setFault(say.tooLarge(sizeOf(chosen.size)));
    try {
      setFile({ name: chosen.name.slice(0, 255), bytes: chosen.size, text: await chosen.text() });
    } catch {
      setFault(say.unreadable);
    }
  };
  return (
    <Page title={say.title} lead={say.lead} back={back} isNarrow>
      <Stack>
        {!may("imports.create") && <Notice icon="key">{kitWords.needsRole(requiredRole("imports.create"))}</Notice>}
        <Field label={say.kind} hint={say.kindHints[kind]}>
          {({ id }) => (
            <Select
              id={id}
              name={say.kind}
              isWide
              value={kind}
              choices={choicesOf<ImportKind>(words.kinds)}
              onChange={(next) =>
                void navigate({ search: ({ env }) => ({ env, ...(next !== "subscribers" && { kind: next }) }) })
              }
            />
          )}
        </Field>
        {fault && <Notice tone="bad">{fault}</Notice>}
        {!file && <FileField kind={kind} isDisabled={!may("imports.create")} onChoose={choose} />}
        {file && (
          <Understood
            key={`${kind} ${file.name} ${file.bytes}`}
            kind={kind}
            file={file}
            onReset={() => setFile(null)}
          />
        )}
      </Stack>
    </Page>
  );
}

type FileFieldProps = { kind: ImportKind; isDisabled: boolean; onChoose: (file: File | undefined) => void };

function FileField({ kind, isDisabled, onChoose }: FileFieldProps) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!isDisabled) onChoose(event.dataTransfer.files[0]);
  };
  return (
    <label
      className={css.drop}
      htmlFor={id}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="upload" size={20} />
      <span>
        <strong>{say.choose}</strong> {say.drop}
      </span>
      <span className={css.weak}>{say.columnsOf[kind]}</span>
      <input
        id={id}
        type="file"
        accept=".csv,.tsv,.txt,text/csv,text/plain"
        disabled={isDisabled}
        onChange={({ target }) => onChoose(target.files?.[0])}
      />
    </label>
  );
}

type UnderstoodProps = { kind: ImportKind; file: Chosen; onReset: () => void };

function Understood({ kind, file, onReset }: UnderstoodProps) {
  const [dryRunId, setDryRunId] = useState<string | undefined>();
  const { data, error } = useOperation("imports.preview", {
    body: { kind, csv: file.text.slice(0, previewCharacters) || "\n" },
  });
  const check = useChange("imports.create", ["imports.list"]);
  const dryRun = useImport(dryRunId);
  const isRefused = (data?.problems.length ?? 0) > 0;
  const start = () =>
    check.mutate(
      { body: { kind, csv: file.text, dryRun: true, fileName: file.name } },
      { onSuccess: ({ id }) => setDryRunId(id) },
    );
  return (
    <>
      <Card
        title={say.understood}
        actions={
          <Button size="small" onClick={onReset}>
            {say.another}
          </Button>
        }
      >
        <Stack>
          {error && <ErrorPanel error={error} />}
          {!data && !error && <Skeleton rows={4} />}
          {data && (
            <>
              <Facts
                of={[
                  [say.file, file.name],
                  [say.size, sizeOf(file.bytes)],
                  [say.separator, say.separators[data.separator as ","]],
                ]}
              />
              {isRefused && (
                <Notice tone="bad">
                  <p>{say.refused}</p>
                  <ul>
                    {data.problems.map((problem) => (
                      <li key={problem}>{problem}</li>
                    ))}
                  </ul>
                </Notice>
              )}
              <SampleTable preview={data} />
            </>
          )}
          {check.error && <ErrorPanel error={check.error} />}
          {data && !isRefused && !dryRunId && (
            <div className={css.next}>
              <p className={css.weak}>{say.checkText}</p>
              <Button look="primary" disabled={check.isPending} onClick={start}>
                {say.check}
              </Button>
            </div>
          )}
        </Stack>
      </Card>
      {dryRun.error && <ErrorPanel error={dryRun.error} />}
      {dryRun.data && (
        <Card title={isFinished(dryRun.data) ? say.report : say.checking}>
          <Stack>
            <ImportReport of={dryRun.data} />
            {dryRun.data.status === "completed" && (
              <Go
                kind={kind}
                file={file}
                count={dryRun.data.created + dryRun.data.updated}
                faulty={dryRun.data.faulty}
              />
            )}
          </Stack>
        </Card>
      )}
    </>
  );
}

type GoProps = { kind: ImportKind; file: Chosen; count: number; faulty: number };

function Go({ kind, file, count, faulty }: GoProps) {
  const navigate = useNavigate();
  const { confirm, dialog } = useConfirm();
  const create = useChange("imports.create", ["imports.list", "subscribers.list", "topics.list"]);
  const start = () =>
    confirm({ title: say.confirmTitle(count), label: say.go(count) }, () =>
      create.mutate(
        { body: { kind, csv: file.text, fileName: file.name } },
        { onSuccess: ({ id }) => void navigate({ to: "/imports/$importId", params: { importId: id } }) },
      ),
    );
  if (count === 0) return <p className={css.weak}>{say.nothing}</p>;
  return (
    <>
      {dialog}
      {create.error && <ErrorPanel error={create.error} />}
      <div className={css.next}>
        <p className={css.weak}>{say.goText(faulty)}</p>
        <Button look="primary" disabled={create.isPending} onClick={start}>
          {say.go(count)}
        </Button>
      </div>
    </>
  );
}

type Preview = { columns: { header: string; field: string | null; problem?: string }[]; rows: string[][] };

const SampleTable = ({ preview: { columns, rows } }: { preview: Preview }) => (
  <section className={css.sample} aria-label={say.firstLines}>
    {columns.length > widestPreview && <p className={css.weak}>{say.columnCount(columns.length)}</p>}
    <table aria-label={say.firstLines}>
      <thead>
        <tr>
          {columns.map(({ header, field, problem }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same header
            <th key={index} scope="col" data-bad={problem !== undefined}>
              {header}
              {field !== header && <span>{field ?? say.ignored}</span>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, 6).map((cells, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a file have no identity but their place
          <tr key={row}>
            {columns.map((_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells of a line keep their places
              <td key={index}>{cells[index]}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
