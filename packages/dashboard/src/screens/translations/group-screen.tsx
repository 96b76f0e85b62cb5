// The texts of a workflow or layout: a row for each key, a column for each language.
import { getRouteApi } from "@tanstack/react-router";
import type { TranslatedResource } from "@tidings/contract";
import { useState } from "react";
import { useChange } from "../../api/hooks.ts";
import { requiredRole, useMay } from "../../api/permissions.ts";
import { useEnvironment } from "../../api/session.tsx";
import { LeaveGuard } from "../../drafts/leave-guard.tsx";
import { useSaveShortcut } from "../../drafts/use-shortcuts.ts";
import { ListBar } from "../../kit/data/list.tsx";
import { Time } from "../../kit/data/time.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button, LinkButton } from "../../kit/inputs/button.tsx";
import { choicesOf } from "../../kit/inputs/choices.ts";
import { Select } from "../../kit/inputs/select.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../kit/overlays/toast.tsx";
import { useSettledText } from "../../kit/use-settled.ts";
import { words as kitWords } from "../../words.ts";
import { NameDialog } from "./name-dialog.tsx";
import type { GroupSearch } from "./search.ts";
import { TextTable } from "./text-table.tsx";
import { defaultLocale } from "./texts.ts";
import css from "./translations.module.css";
import { type Group, useGroup } from "./use-group.ts";
import { words } from "./words.ts";

const translationRoute = getRouteApi("/shell/translations/$resourceType/$resourceId");

const say = words.group;
const back = { to: "/translations", search: {}, label: say.back } as const;

export function GroupScreen() {
  const { resourceType, resourceId } = translationRoute.useParams();
  const { _id } = useEnvironment();
  const type = resourceType === "layout" ? "layout" : "workflow";
  return <LoadedGroup key={`${_id} ${type} ${resourceId}`} resourceType={type} resourceId={resourceId} />;
}

function LoadedGroup({ resourceType, resourceId }: { resourceType: TranslatedResource; resourceId: string }) {
  const group = useGroup(resourceType, resourceId);
  const isReadOnly = !useMay()("translations.create");
  const title = group.name ?? resourceId;
  return (
    <Page
      title={title}
      back={back}
      lead={
        <span className={css.lead}>
          <Badge isSquare>{words.types[resourceType]}</Badge>
          {resourceType === "workflow" ? (
            <LinkButton size="small" look="plain" to="/workflows/$workflowId" params={{ workflowId: resourceId }}>
              {say.open[resourceType]}
            </LinkButton>
          ) : (
            <LinkButton size="small" look="plain" to="/layouts/$layoutId" params={{ layoutId: resourceId }}>
              {say.open[resourceType]}
            </LinkButton>
          )}
        </span>
      }
      actions={!isReadOnly && <Actions group={group} />}
      isSticky
    >
      {isReadOnly && <Notice icon="key">{kitWords.needsRole(requiredRole("translations.create"))}</Notice>}
      {group.restoredAt && (
        <Notice icon="refresh">
          {say.restored} <Time at={group.restoredAt} isRelative />.
        </Notice>
      )}
      {group.error && <ErrorPanel error={group.error} onRetry={group.refetch} />}
      {group.isLoading && !group.error && <Skeleton rows={8} />}
      {!group.isLoading && !group.error && (
        <Texts group={group} resourceType={resourceType} resourceId={resourceId} isReadOnly={isReadOnly} />
      )}
      <LeaveGuard editor={group} />
    </Page>
  );
}

function Actions({ group }: { group: Group }) {
  const { confirm, dialog } = useConfirm();
  const { count, isSaving } = group;
  const save = () => confirm({ title: say.unsaved(count), label: say.save }, group.save);
  useSaveShortcut({ isReadOnly: false, isChanged: count > 0, isSaving, save });
  return (
    <>
      {dialog}
      {count > 0 && <Badge tone="warn">{say.unsaved(count)}</Badge>}
      {count > 0 && (
        <Button
          onClick={() =>
            confirm({ title: say.discardTitle, label: say.discard, isDanger: true, isAlways: true }, group.discard)
          }
        >
          {say.discard}
        </Button>
      )}
      <Button look="primary" disabled={count === 0 || isSaving} onClick={save}>
        {isSaving ? say.saving : say.save}
      </Button>
    </>
  );
}

type TextsProps = { group: Group; resourceType: TranslatedResource; resourceId: string; isReadOnly: boolean };

function Texts({ group, resourceType, resourceId, isReadOnly }: TextsProps) {
  const { q = "", show: filter } = translationRoute.useSearch();
  const show: keyof typeof say.shows = filter ?? "all";
  const navigate = translationRoute.useNavigate();
  const go = (changed: GroupSearch, replace = false) =>
    void navigate({ search: (old) => ({ ...old, ...changed }), replace });
  const [text, setText] = useSettledText(q, (settled) => go({ q: settled.trim() || undefined }, true));
  const [opened, setOpened] = useState<"key" | "locale" | null>(null);
  const [newKeys, setNewKeys] = useState<readonly string[]>([]);
  const { confirm, dialog } = useConfirm();
  const remove = useChange("translations.delete", ["translations.retrieveGroup", "translations.listGroups"]);
  const { locales } = group;
  const wanted = group.keysOf(defaultLocale);
  const stored = [...new Set([...locales.flatMap((locale) => [...group.keysOf(locale)]), ...group.editedKeys])];
  // A key of plural forms has its texts below it.
  const used = [...group.used.keys()].filter((key) => !stored.some((one) => one.startsWith(`${key}.`)));
  const all = [...new Set([...stored, ...used, ...newKeys])].sort();
  const isKnown = (key: string) =>
    wanted.has(key) || group.used.has(key) || group.textOf(defaultLocale, key) !== undefined;
  const hasGap = (key: string) => isKnown(key) && locales.some((locale) => group.textOf(locale, key) === undefined);
  const missing = all.filter(hasGap);
  const extra = all.filter((key) => wanted.size > 0 && !isKnown(key) && !newKeys.includes(key));
  const inAny = (is: (locale: string, key: string) => unknown) =>
    all.filter((key) => locales.some((one) => is(one, key)));
  const lists = { all, missing, changed: inAny(group.isOutdated), faulty: inAny(group.faultOf), extra };
  const chosen = lists[show];
  // A row stays in the filtered list while its texts are written.
  const rows = [...new Set([...chosen, ...(show === "all" ? [] : group.editedKeys)])]
    .sort()
    .filter((key) => matches(group, key, q));
  const removeLocale = (locale: string) => {
    if (!group.isStored(locale)) return group.dropLocale(locale);
    confirm(
      {
        title: say.removeLocaleTitle(locale),
        text: say.removeLocaleText,
        label: say.removeLocale(locale),
        isDanger: true,
        isAlways: true,
      },
      () =>
        remove.mutate(
          { params: { resourceType, resourceId, locale } },
          {
            onError: showError,
            onSuccess: () => {
              group.dropLocale(locale);
              showToast({ title: say.localeRemoved(locale) });
            },
          },
        ),
    );
  };
  return (
    <>
      {dialog}
      <ListBar
        search={{ label: say.search, value: text, onChange: setText }}
        actions={
          !isReadOnly && (
            <>
              <Button icon="plus" onClick={() => setOpened("key")}>
                {say.addKey}
              </Button>
              <Button icon="languages" onClick={() => setOpened("locale")}>
                {say.addLocale}
              </Button>
            </>
          )
        }
      >
        <Select
          name={say.show}
          value={show}
          isSet={show !== "all"}
          choices={choicesOf(say.shows).map(({ value, label }) => ({
            value,
            label: value === "all" ? label : `${label} (${lists[value].length})`,
          }))}
          onChange={(value) => go({ show: value === "all" ? undefined : value })}
        />
      </ListBar>
      {locales.length > 1 && locales.some((locale) => all.some((key) => group.textOf(locale, key)?.includes("{{"))) && (
        <p className={css.help}>{say.braces}</p>
      )}
      {rows.length === 0 ? (
        <EmptyState
          icon="languages"
          title={all.length === 0 ? say.noKeys : words.noMatch}
          text={all.length === 0 ? say.noKeysText : say.noMatchText}
        />
      ) : (
        <TextTable
          group={group}
          keys={rows}
          isExtra={(key) => extra.includes(key)}
          isReadOnly={isReadOnly}
          onRemoveLocale={removeLocale}
        />
      )}
      {opened === "key" && (
        <NameDialog
          kind="key"
          isTaken={(key) => all.includes(key)}
          onAdd={(key) => setNewKeys([...newKeys, key])}
          onClose={() => setOpened(null)}
        />
      )}
      {opened === "locale" && (
        <NameDialog
          kind="locale"
          isTaken={(locale) => locales.includes(locale)}
          onAdd={group.addLocale}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
}

function matches(group: Group, key: string, q: string): boolean {
  const wanted = q.toLowerCase();
  return (
    wanted === "" ||
    key.toLowerCase().includes(wanted) ||
    group.locales.some((locale) => group.textOf(locale, key)?.toLowerCase().includes(wanted))
  );
}
