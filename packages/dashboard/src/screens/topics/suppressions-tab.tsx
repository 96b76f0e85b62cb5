// Addresses that nothing is sent to: found, added, lifted, each with its reason.
import type { SuppressedChannel, Suppression } from "@tidings/contract";
import { useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../api/permissions.ts";
import { CursorPager } from "../../kit/data/cursor-pager.tsx";
import { ListBar } from "../../kit/data/list.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { Table } from "../../kit/data/table.tsx";
import { Time } from "../../kit/data/time.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { choicesOf } from "../../kit/inputs/choices.ts";
import { Field, TextField } from "../../kit/inputs/field.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { FormDialog } from "../../kit/overlays/form-dialog.tsx";
import { showToast } from "../../kit/overlays/toast.tsx";
import { useConfirmedChange } from "../../kit/overlays/use-confirmed-change.ts";
import type { Tone } from "../../kit/tone.ts";
import { words as kitWords } from "../../words.ts";
import css from "./topics.module.css";
import { useTopicsSearch } from "./use-topics-search.ts";
import { words } from "./words.ts";

const say = words.suppressions;
const pageSize = 25;
const tones: Record<Suppression["reason"], Tone> = { bounce: "bad", complaint: "warn", manual: "quiet" };

export function SuppressionsTab() {
  const { search, show, text, setText, clear } = useTopicsSearch();
  const { q, after, before, channel, reason } = search;
  const [isAdding, setAdding] = useState(false);
  const may = useMay();
  const { data, error, refetch } = useOperation(
    "suppressions.list",
    { query: { limit: pageSize, after, before, address: q, channel, reason } },
    { keep: true },
  );
  const isFiltered = (q ?? channel ?? reason) !== undefined;
  const rows = data?.data;
  return (
    <>
      <ListBar
        search={{ label: say.search, value: text, onChange: setText }}
        actions={
          may("suppressions.create") && (
            <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
              {say.add}
            </Button>
          )
        }
      >
        <Select
          name={say.channel}
          value={channel ?? "all"}
          isSet={channel !== undefined}
          choices={[{ value: "all" as const, label: kitWords.all }, ...choicesOf(say.channels)]}
          onChange={(value) => show({ channel: value === "all" ? undefined : value })}
        />
        <Select
          name={say.reason}
          value={reason ?? "all"}
          isSet={reason !== undefined}
          choices={[{ value: "all" as const, label: kitWords.all }, ...choicesOf(say.reasons)]}
          onChange={(value) => show({ reason: value === "all" ? undefined : value })}
        />
      </ListBar>
      <ListView
        rows={rows}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState
            icon={isFiltered ? "filter" : "circleCheck"}
            title={isFiltered ? words.noMatch : say.none}
            text={isFiltered ? say.noMatchText : say.noneText}
            action={isFiltered && <Button onClick={clear}>{words.clear}</Button>}
          />
        }
      >
        {(rows) => (
          <Table
            label={words.tabs.suppressions}
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { title: say.address, cell: ({ address }) => <span className={css.address}>{address}</span> },
              { title: say.channel, cell: ({ channel: of }) => say.channels[of], isWideOnly: true },
              { title: say.reason, cell: ({ reason: why }) => <Badge tone={tones[why]}>{say.reasons[why]}</Badge> },
              { title: say.since, cell: ({ createdAt }) => <Time at={createdAt} isRelative />, isWideOnly: true },
              { title: "", cell: (one) => <LiftButton suppression={one} />, isNumber: true },
            ]}
          />
        )}
      </ListView>
      {data && <CursorPager page={data} onShow={show} />}
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </>
  );
}

function LiftButton({ suppression: { id, address } }: { suppression: Suppression }) {
  const lift = useConfirmedChange("suppressions.delete", ["suppressions.list"]);
  if (!useMay()("suppressions.delete")) return null;
  const ask = () =>
    lift.ask(
      { params: { suppressionId: id } },
      {
        title: say.liftTitle(address),
        text: say.liftText,
        label: say.lift,
        isAlways: true,
        done: say.lifted(address),
      },
    );
  return (
    <>
      {lift.dialog}
      <Button size="small" onClick={ask} disabled={lift.isPending} aria-label={say.liftOf(address)}>
        {say.lift}
      </Button>
    </>
  );
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const [channel, setChannel] = useState<SuppressedChannel>("email");
  const [address, setAddress] = useState("");
  const add = useChange("suppressions.create", ["suppressions.list"]);
  const submit = () =>
    add.mutate(
      { body: { channel, address: address.trim() } },
      {
        onSuccess: (made) => {
          showToast({ title: say.added(made.address) });
          onClose();
        },
      },
    );
  const fault = add.error?.fields.address;
  return (
    <FormDialog
      onClose={onClose}
      title={say.addTitle}
      description={say.addText}
      submit={say.addAction}
      isDisabled={add.isPending || address.trim() === ""}
      error={!fault && add.error}
      onSubmit={submit}
    >
      <Field label={say.channel}>
        {({ id }) => (
          <Select
            id={id}
            name={say.channel}
            isWide
            value={channel}
            choices={choicesOf(say.channels)}
            onChange={setChannel}
          />
        )}
      </Field>
      <TextField
        label={say.address}
        value={address}
        error={fault}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => setAddress(target.value)}
      />
    </FormDialog>
  );
}
