// The brand of the environment or of a context: the form on the left, what it looks like on the right.
import { getRouteApi } from "@tanstack/react-router";
import type { BrandIn, BrandSettings } from "@tidings/contract";
import { useChange, useOperation } from "../../api/hooks.ts";
import { requiredRole, useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { LeaveGuard } from "../../drafts/leave-guard.tsx";
import { useDraft } from "../../drafts/use-draft.ts";
import { useSaveShortcut } from "../../drafts/use-shortcuts.ts";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Select } from "../../kit/inputs/select.tsx";
import { Halves } from "../../kit/layout/layout.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { useConfirmedChange } from "../../kit/overlays/use-confirmed-change.ts";
import { words as kitWords } from "../../words.ts";
import css from "./brand.module.css";
import { BrandForm } from "./brand-form.tsx";
import { BrandPreview } from "./brand-preview.tsx";
import { words } from "./words.ts";

const brandRoute = getRouteApi("/shell/brand");

type ContextName = { type: string; id: string };

const readContext = (key: string | undefined): ContextName | null => {
  const [type, id] = key?.split(":") ?? [];
  return type && id ? { type, id } : null;
};

export function BrandScreen() {
  const { context: key } = brandRoute.useSearch();
  const { _id } = useEnvironment();
  const context = readContext(key);
  const own = useOperation("brand.retrieve", {}, { enabled: context === null });
  const override = useOperation(
    "brand.retrieveContext",
    { params: context ?? { type: "", id: "" } },
    { enabled: context !== null },
  );
  const environments = useOperation("environments.list", {});
  const { data, error, refetch } = context ? override : own;
  const place = environments.data?.find((one) => one._id === _id);
  if (data && place) {
    const pagesUrl = place.pagesUrl ?? "";
    return <LoadedBrand key={`${_id} ${key}`} settings={data} context={context} pagesUrl={pagesUrl} />;
  }
  return (
    <Page title={words.title} lead={words.lead}>
      <Scope context={context} />
      {error ? <ErrorPanel error={error} onRetry={refetch} /> : <Skeleton rows={10} />}
    </Page>
  );
}

type LoadedBrandProps = {
  settings: BrandSettings;
  context: ContextName | null;
  /** The domain of the environment; empty: none. */
  pagesUrl: string;
};

/** The domain belongs to the environment, and is edited with its brand. */
type BrandDraft = { brand: BrandIn; pagesUrl: string };

function LoadedBrand({ settings, context, pagesUrl }: LoadedBrandProps) {
  const { _id: environmentId } = useEnvironment();
  const may = useMay();
  const canEdit = may("brand.update");
  const held = useDraft<BrandDraft>({
    recordId: `brand.${context ? `${context.type}:${context.id}` : ""}`,
    saved: { draft: { brand: settings.own, pagesUrl }, version: undefined },
    isReadOnly: !canEdit,
    isDraft: (found) => typeof found?.brand === "object" && typeof found.pagesUrl === "string",
  });
  const { draft } = held;
  const { confirm, dialog } = useConfirm();
  const stale = ["brand.retrieve", "brand.retrieveContext", "brand.preview"] as const;
  const saveOwn = useChange("brand.update", stale);
  const saveContext = useChange("brand.updateContext", stale);
  const saveUrl = useChange("environments.update", ["environments.list"]);
  const change = context ? saveContext : saveOwn;
  const isSaving = change.isPending || saveUrl.isPending;
  const adopt = (next: BrandDraft) => held.restart({ draft: next, version: undefined });
  const done = {
    onSuccess: ({ own }: BrandSettings) => {
      adopt({ ...held.latest.current, brand: own });
      showToast({ title: words.saved });
    },
    onError: (error: Error) => {
      if (Object.keys((error as { fields?: object }).fields ?? {}).length === 0) showError(error);
    },
  };
  const saveBrand = () =>
    context
      ? saveContext.mutate({ params: context, body: draft.brand }, done)
      : saveOwn.mutate({ body: draft.brand }, done);
  const save = () =>
    confirm({ title: words.save, label: words.save }, () => {
      if (context || draft.pagesUrl === held.base.draft.pagesUrl) return saveBrand();
      // First: a domain that is refused saves nothing.
      const body = { pagesUrl: draft.pagesUrl || null };
      saveUrl.mutate({ params: { environmentId }, body }, { onSuccess: saveBrand, onError: done.onError });
    });
  const editor = {
    ...held,
    isSaving,
    isReadOnly: !canEdit,
    save,
    discard: () => adopt(held.base.draft),
  };
  useSaveShortcut(editor);
  return (
    <Page
      title={words.title}
      lead={words.lead}
      isSticky
      actions={
        <>
          {context === null && may("brand.createLayout") && <LayoutButton />}
          {context && settings.isSet && canEdit && (
            <RemoveButton context={context} onDone={() => adopt({ ...draft, brand: {} })} />
          )}
          {canEdit && (
            <Button look="primary" onClick={save} disabled={isSaving}>
              {words.save}
            </Button>
          )}
        </>
      }
    >
      {dialog}
      <LeaveGuard editor={editor} />
      <Scope context={context} />
      {held.restoredAt && (
        <div className={css.scope}>
          <Notice icon="clock">
            {words.restored} <Button onClick={editor.discard}>{words.discard}</Button>
          </Notice>
        </div>
      )}
      {!canEdit && <Notice icon="key">{kitWords.needsRole(requiredRole("brand.update"))}</Notice>}
      <Halves>
        <BrandForm
          draft={draft.brand}
          brand={settings.brand}
          errors={{ ...change.error?.fields, ...saveUrl.error?.fields }}
          isReadOnly={!canEdit}
          onChange={(changed) => {
            const { current } = held.latest;
            held.change({ ...current, brand: withoutAbsent({ ...current.brand, ...changed }) });
          }}
          domain={
            context === null
              ? { url: draft.pagesUrl, onChange: (url) => held.change({ ...held.latest.current, pagesUrl: url }) }
              : undefined
          }
        />
        <BrandPreview draft={draft.brand} isOverride={context !== null} />
      </Halves>
    </Page>
  );
}

/** Members without a value are inherited, and are not sent. */
const withoutAbsent = (brand: BrandIn): BrandIn =>
  Object.fromEntries(Object.entries(brand).filter(([, value]) => value !== undefined));

/** The environment, or one of its contexts: the first hundred are offered. */
function Scope({ context }: { context: ContextName | null }) {
  const { name } = useEnvironment();
  const navigate = brandRoute.useNavigate();
  const { data } = useOperation("contexts.list", { query: { limit: 100 } });
  const keys = new Set((data?.data ?? []).map(({ type, id }) => `${type}:${id}`));
  const chosen = context ? `${context.type}:${context.id}` : "";
  if (chosen) keys.add(chosen);
  if (keys.size === 0) return null;
  return (
    <div className={css.scope}>
      <Select
        name={words.appliesTo}
        value={chosen}
        isSet={chosen !== ""}
        choices={[
          { value: "", label: words.environment(name) },
          ...[...keys].map((value) => ({ value, label: value.replace(":", ": ") })),
        ]}
        onChange={(value) => void navigate({ search: ({ env }) => ({ env, context: value || undefined }) })}
      />
    </div>
  );
}

function LayoutButton() {
  const create = useConfirmedChange("brand.createLayout", ["layouts.list"]);
  const ask = () =>
    create.ask(
      { body: {} },
      {
        title: words.layoutTitle,
        text: words.layoutText,
        label: words.layout,
        isAlways: true,
        done: ({ name }) => words.layoutDone(name),
      },
    );
  return (
    <>
      {create.dialog}
      <Button icon="layout" onClick={ask} disabled={create.isPending}>
        {words.layout}
      </Button>
    </>
  );
}

function RemoveButton({ context, onDone }: { context: ContextName; onDone: () => void }) {
  const remove = useConfirmedChange("brand.deleteContext", ["brand.retrieveContext"]);
  const ask = () =>
    remove.ask(
      { params: context },
      { title: words.removeTitle, label: words.remove, isAlways: true, done: words.removed, onDone },
    );
  return (
    <>
      {remove.dialog}
      <Button onClick={ask} disabled={remove.isPending}>
        {words.remove}
      </Button>
    </>
  );
}
