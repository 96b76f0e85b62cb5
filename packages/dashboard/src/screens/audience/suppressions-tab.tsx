// Addresses that nothing is sent to: found, added, lifted, each with its reason.
import type { SuppressedChannel, Suppression } from "@tidings/contract";
import { type FormEvent, useId, useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { useMay } from "../../app/permissions.ts";
import { Button } from "../../kit/button.tsx";
import { useConfirm } from "../../kit/confirm.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Field, TextField } from "../../kit/field.tsx";
import { ListBar, Stack } from "../../kit/list.tsx";
import { Select } from "../../kit/select.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { Table } from "../../kit/table.tsx";
import { Time } from "../../kit/time.tsx";
import { showError, showToast } from "../../kit/toast.tsx";
import type { Tone } from "../../kit/tone.ts";
import { Badge } from "../../kit/verdict.tsx";
import { words as kitWords } from "../../words.ts";
import { choicesOf } from "../workflows/step/condition-builder.tsx";
import css from "./audience.module.css";
import { CursorPager } from "./cursor-pager.tsx";
import { useAudienceSearch } from "./use-audience-search.ts";
import { words } from "./words.ts";

const say = words.suppressions;
const pageSize = 25;
const tones: Record<Suppression["reason"], Tone> = { bounce: "bad", complaint: "warn", manual: "quiet" };

export function SuppressionsTab() {
  const { search, show, text, setText, clear } = useAudienceSearch();
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
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!rows && !error && <Skeleton />}
      {rows?.length === 0 && (
        <EmptyState
          icon={isFiltered ? "filter" : "circleCheck"}
          title={isFiltered ? words.noMatch : say.none}
          text={isFiltered ? say.noMatchText : say.noneText}
          action={isFiltered && <Button onClick={clear}>{words.clear}</Button>}
        />
      )}
      {rows && rows.length > 0 && (
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
      {data && <CursorPager page={data} onShow={show} />}
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </>
  );
}

function LiftButton({ suppression: { id, address } }: { suppression: Suppression }) {
  const lift = useChange("suppressions.delete", ["suppressions.list"]);
  const { confirm, dialog } = useConfirm();
  if (!useMay()("suppressions.delete")) return null;
  const ask = () =>
    confirm({ title: say.liftTitle(address), text: say.liftText, label: say.lift, isAlways: true }, () =>
      lift.mutate(
        { params: { suppressionId: id } },
        { onError: showError, onSuccess: () => showToast({ title: say.lifted(address) }) },
      ),
    );
  return (
    <>
      {dialog}
      <Button size="small" onClick={ask} disabled={lift.isPending} aria-label={say.liftOf(address)}>
        {say.lift}
      </Button>
    </>
  );
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const [channel, setChannel] = useState<SuppressedChannel>("email");
  const [address, setAddress] = useState("");
  const form = useId();
  const add = useChange("suppressions.create", ["suppressions.list"]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(
      { body: { channel, address: address.trim() } },
      {
        onSuccess: (made) => {
          showToast({ title: say.added(made.address) });
          onClose();
        },
      },
    );
  };
  const fault = add.error?.fields.address;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={say.addTitle}
      description={say.addText}
      actions={
        <>
          <Button onClick={onClose}>{kitWords.cancel}</Button>
          <Button look="primary" type="submit" form={form} disabled={add.isPending || address.trim() === ""}>
            {say.addAction}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        <Stack>
          {add.error && !fault && <ErrorPanel error={add.error} />}
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
        </Stack>
      </form>
    </Dialog>
  );
}
