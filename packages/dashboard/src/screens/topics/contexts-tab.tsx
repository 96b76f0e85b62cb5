// The list of contexts: found, created, their data read and changed.
import type { Context } from "@tidings/contract";
import { type FormEvent, useId, useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { JsonField } from "../../fields/json-field.tsx";
import { CursorPager } from "../../kit/data/cursor-pager.tsx";
import { ListBar, Stack } from "../../kit/data/list.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { EmptyState, ErrorPanel } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { TextField } from "../../kit/inputs/field.tsx";
import { Dialog } from "../../kit/overlays/dialog.tsx";
import { Menu } from "../../kit/overlays/menu.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { useConfirmedChange } from "../../kit/overlays/use-confirmed-change.ts";
import { words as kitWords } from "../../words.ts";
import css from "./topics.module.css";
import { useTopicsSearch } from "./use-topics-search.ts";
import { words } from "./words.ts";

const say = words.contexts;
const pageSize = 25;

export function ContextsTab() {
  const { search, show, text, setText, clear } = useTopicsSearch();
  const { q, after, before } = search;
  const [opened, setOpened] = useState<Context | "new" | null>(null);
  const may = useMay();
  const { data, error, refetch } = useOperation(
    "contexts.list",
    { query: { limit: pageSize, after, before, search: q } },
    { keep: true },
  );
  const rows = data?.data;
  return (
    <>
      <ListBar
        search={{ label: say.search, value: text, onChange: setText }}
        actions={
          may("contexts.create") && (
            <Button look="primary" icon="plus" onClick={() => setOpened("new")}>
              {say.create}
            </Button>
          )
        }
      />
      <ListView
        rows={rows}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState
            icon={q === undefined ? "layers" : "search"}
            title={q === undefined ? say.none : words.noMatch}
            text={q === undefined ? say.noneText : say.noMatchText}
            action={q !== undefined && <Button onClick={clear}>{words.clear}</Button>}
          />
        }
      >
        {(rows) => (
          <Table
            label={words.tabs.contexts}
            rows={rows}
            keyOf={({ type, id }) => `${type}:${id}`}
            columns={[
              { title: say.type, cell: ({ type }) => <Badge isSquare>{type}</Badge> },
              { title: say.id, cell: ({ id }) => <span className={css.address}>{id}</span> },
              { title: say.data, cell: DataCell, isWideOnly: true },
              { title: words.updated, cell: ({ updatedAt }) => <Time at={updatedAt} isRelative />, isWideOnly: true },
              { title: "", cell: (context) => <ContextMenu context={context} onEdit={setOpened} />, isNumber: true },
            ]}
          />
        )}
      </ListView>
      {data && <CursorPager page={data} onShow={show} />}
      {opened && <ContextDialog context={opened === "new" ? null : opened} onClose={() => setOpened(null)} />}
    </>
  );
}

const DataCell = ({ data }: Context) =>
  Object.keys(data).length === 0 ? (
    <span className={css.weak}>{say.empty}</span>
  ) : (
    <code className={css.data}>{JSON.stringify(data)}</code>
  );

function ContextMenu({ context, onEdit }: { context: Context; onEdit: (context: Context) => void }) {
  const { type, id } = context;
  const key = `${type}:${id}`;
  const may = useMay();
  const remove = useConfirmedChange("contexts.delete", ["contexts.list"]);
  const ask = () =>
    remove.ask(
      { params: { type, id } },
      {
        title: say.removeTitle(key),
        text: say.removeText,
        label: words.remove,
        isDanger: true,
        isAlways: true,
        done: say.removed(key),
      },
    );
  return (
    <>
      {remove.dialog}
      <Menu
        align="end"
        trigger={<IconButton label={words.menu(key)} icon="more" size="small" />}
        entries={[
          { label: say.edit, icon: "pencil", onChoose: () => onEdit(context) },
          ...(may("contexts.delete")
            ? [
                { kind: "line" as const },
                { label: words.remove, icon: "trash" as const, isDanger: true, onChoose: ask },
              ]
            : []),
        ]}
      />
    </>
  );
}

/** null: a new one. */
function ContextDialog({ context, onClose }: { context: Context | null; onClose: () => void }) {
  const [type, setType] = useState(context?.type ?? "tenant");
  const [id, setId] = useState(context?.id ?? "");
  const [data, setData] = useState<Record<string, unknown>>(context?.data ?? {});
  const form = useId();
  const may = useMay();
  const environment = useEnvironment();
  const create = useChange("contexts.create", ["contexts.list"]);
  const update = useChange("contexts.update", ["contexts.list"]);
  const error = create.error ?? update.error;
  const isReadOnly = !may("contexts.update");
  const done = () => {
    showToast({ title: kitWords.saved });
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (context) update.mutate({ params: { type, id }, body: { data } }, { onSuccess: done });
    else create.mutate({ body: { type: type.trim(), id: id.trim(), data } }, { onSuccess: done });
  };
  const text = context ? say.editText : say.createText;
  return (
    <Dialog
      isOpen
      look="wide"
      onClose={onClose}
      title={context ? say.editTitle(`${type}:${id}`) : say.createTitle}
      description={environment.type === "prod" ? `${text} ${kitWords.confirm.production(environment.name)}` : text}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          {!isReadOnly && (
            <Button
              look="primary"
              type="submit"
              form={form}
              disabled={create.isPending || update.isPending || id.trim() === "" || type.trim() === ""}
            >
              {context ? kitWords.save : say.createAction}
            </Button>
          )}
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        <Stack>
          {error && <ErrorPanel error={error} />}
          {!context && (
            <div className={css.pair}>
              <TextField
                label={say.type}
                hint={say.typeHint}
                error={error?.fields.type}
                value={type}
                maxLength={100}
                spellCheck={false}
                onChange={({ target }) => setType(target.value)}
              />
              <TextField
                label={say.id}
                error={error?.fields.id}
                value={id}
                maxLength={100}
                spellCheck={false}
                onChange={({ target }) => setId(target.value)}
              />
            </div>
          )}
          <JsonField
            label={say.data}
            hint={say.dataHint}
            error={error?.fields.data}
            value={data}
            isReadOnly={isReadOnly}
            onChange={(next) => setData(next ?? {})}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
