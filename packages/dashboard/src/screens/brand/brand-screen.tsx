// The brand of the environment or of a context: the form on the left, what it looks like on the right.
import { getRouteApi } from "@tanstack/react-router";
import type { BrandIn, BrandSettings } from "@tidings/contract";
import { useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { requiredRole, useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
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
  const { data, error, refetch } = context ? override : own;
  if (data) return <LoadedBrand key={`${_id} ${key}`} settings={data} context={context} />;
  return (
    <Page title={words.title} lead={words.lead}>
      <Scope context={context} />
      {error ? <ErrorPanel error={error} onRetry={refetch} /> : <Skeleton rows={10} />}
    </Page>
  );
}

function LoadedBrand({ settings, context }: { settings: BrandSettings; context: ContextName | null }) {
  const [draft, setDraft] = useState<BrandIn>(settings.own);
  const may = useMay();
  const { confirm, dialog } = useConfirm();
  const stale = ["brand.retrieve", "brand.retrieveContext", "brand.preview"] as const;
  const saveOwn = useChange("brand.update", stale);
  const saveContext = useChange("brand.updateContext", stale);
  const change = context ? saveContext : saveOwn;
  const canEdit = may("brand.update");
  const done = {
    onSuccess: ({ own }: BrandSettings) => {
      setDraft(own);
      showToast({ title: words.saved });
    },
    onError: (error: Error) => {
      if (Object.keys((error as { fields?: object }).fields ?? {}).length === 0) showError(error);
    },
  };
  const save = () =>
    confirm({ title: words.save, label: words.save }, () =>
      context ? saveContext.mutate({ params: context, body: draft }, done) : saveOwn.mutate({ body: draft }, done),
    );
  return (
    <Page
      title={words.title}
      lead={words.lead}
      isSticky
      actions={
        <>
          {context === null && may("brand.createLayout") && <LayoutButton />}
          {context === null && may("brand.copy") && <CopyFromButton onDone={setDraft} />}
          {context && settings.isSet && canEdit && <RemoveButton context={context} onDone={() => setDraft({})} />}
          {canEdit && (
            <Button look="primary" onClick={save} disabled={change.isPending}>
              {words.save}
            </Button>
          )}
        </>
      }
    >
      {dialog}
      <Scope context={context} />
      {!canEdit && <Notice icon="key">{kitWords.needsRole(requiredRole("brand.update"))}</Notice>}
      <Halves>
        <BrandForm
          draft={draft}
          brand={settings.brand}
          errors={change.error?.fields ?? {}}
          isReadOnly={!canEdit}
          onChange={(changed) => setDraft((old) => withoutAbsent({ ...old, ...changed }))}
        />
        <BrandPreview draft={draft} isOverride={context !== null} />
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

/** From the first other environment for development, which is where most brands are tried. */
function CopyFromButton({ onDone }: { onDone: (own: BrandIn) => void }) {
  const { _id } = useEnvironment();
  const { data } = useOperation("environments.list", {});
  const copy = useConfirmedChange("brand.copy", ["brand.retrieve"]);
  const source = data?.find((one) => one.type === "dev" && one._id !== _id);
  if (!source) return null;
  const ask = () =>
    copy.ask(
      { body: { sourceEnvironmentId: source._id } },
      {
        title: words.copyTitle(source.name),
        text: words.copyText,
        label: words.copy(source.name),
        isAlways: true,
        done: words.copied,
        onDone: ({ own }) => onDone(own),
      },
    );
  return (
    <>
      {copy.dialog}
      <Button icon="copy" onClick={ask} disabled={copy.isPending}>
        {words.copy(source.name)}
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
