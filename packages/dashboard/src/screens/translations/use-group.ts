// The texts of one workflow or layout in all its languages, and the changes that are not saved yet.
import { useQueries, useQueryClient } from "@tanstack/react-query";
import type { TranslatedResource, Translation } from "@tidings/contract";
import { useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { callOperation } from "../../api/client.ts";
import { useOperation } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { type Base, useDraft } from "../../drafts/use-draft.ts";
import { beginSave, showError, showNotSaved, showSaved } from "../../kit/overlays/toast.tsx";
import { type Content, defaultLocale, type Edits, textsOf, withEdits } from "./texts.ts";
import { words } from "./words.ts";

/** By locale. */
type AllEdits = Readonly<Record<string, Edits>>;

const isEdits = (found: AllEdits | undefined): boolean => typeof found === "object" && found !== null;

/** Edits are changes of what is saved, so without them there is nothing. */
const nothing: Base<AllEdits> = { draft: {}, version: undefined };

const without = (edits: Edits, key: string): Edits =>
  Object.fromEntries(Object.entries(edits).filter(([name]) => name !== key));

export function useGroup(resourceType: TranslatedResource, resourceId: string) {
  const { _id } = useEnvironment();
  const client = useQueryClient();
  const params = { resourceType, resourceId };
  const group = useOperation("translations.retrieveGroup", { params });
  const used = useOperation("translations.listKeys", { params });
  // A workflow or layout without texts has no group yet.
  const isNew = group.error?.code === "TRANSLATION_GROUP_NOT_FOUND";
  const [added, setAdded] = useState<readonly string[]>([]);
  const stored = group.data?.locales ?? [];
  const locales = [...new Set([defaultLocale, ...stored, ...added])];
  const answers = useQueries({
    queries: stored.map((locale) => ({
      queryKey: [_id, "translations.retrieve", { params: { ...params, locale } }],
      queryFn: () => callOperation("translations.retrieve", { params: { ...params, locale } }, _id),
      staleTime: 10_000,
    })),
  });
  const contents = new Map<string, Content>(
    answers.flatMap(({ data }) => (data ? [[data.locale, data.content as Content] as const] : [])),
  );
  const health = new Map(answers.flatMap(({ data }) => (data ? [[data.locale, healthOf(data)] as const] : [])));
  const held = useDraft<AllEdits>({
    recordId: `texts.${resourceType}.${resourceId}`,
    saved: nothing,
    isReadOnly: false,
    isDraft: isEdits,
  });
  const { draft: edits, isChanged } = held;
  const [isSaving, setSaving] = useState(false);
  const count = Object.values(edits).reduce((sum, of) => sum + Object.keys(of).length, 0);

  const textOf = (locale: string, key: string): string | undefined => {
    const edited = edits[locale]?.[key];
    if (edited !== undefined) return edited ?? undefined;
    return textsOf(contents.get(locale) ?? {}).get(key)?.text;
  };
  const change = (locale: string, key: string, text: string | undefined) => {
    const before = textsOf(contents.get(locale) ?? {}).get(key)?.text;
    const { [locale]: old = {}, ...others } = held.latest.current;
    const own = text === before ? without(old, key) : { ...old, [key]: text ?? null };
    held.change(Object.keys(own).length === 0 ? others : { ...others, [locale]: own }, `${locale}.${key}`);
  };

  const refresh = () =>
    client.invalidateQueries({
      predicate: ({ queryKey: [environment, id] }) => environment === _id && String(id).startsWith("translations."),
    });

  /** Only changed keys are written, into the current texts: what another member changed meanwhile stays. */
  const save = async () => {
    setSaving(true);
    beginSave();
    try {
      for (const [locale, changed] of Object.entries(edits)) {
        const now = stored.includes(locale) ? await readContent({ ...params, locale }, _id) : {};
        const content = withEdits(now, changed, contents.get(defaultLocale) ?? {});
        await callOperation("translations.create", { body: { ...params, locale, content } }, _id);
      }
      held.restart(nothing);
      showSaved(words.group.saved(count));
    } catch (error) {
      showNotSaved(error, () => void again.current());
    } finally {
      await refresh();
      setSaving(false);
    }
  };

  /** The text is right for the changed source too: it is stored again unchanged. */
  const review = async (locale: string, key: string) => {
    try {
      const content = await readContent({ ...params, locale }, _id);
      await callOperation("translations.create", { body: { ...params, locale, content, reviewed: [key] } }, _id);
    } catch (error) {
      showError(error);
    } finally {
      await refresh();
    }
  };

  const again = useRef(save);
  again.current = save;

  return {
    name: group.data?.resourceName,
    error: isNew ? null : (group.error ?? answers.find(({ error }) => error)?.error ?? null),
    isLoading: (!group.data && !group.error) || answers.some(({ isPending }) => isPending),
    refetch: group.refetch,
    locales,
    /** Keys that templates use, with their places. */
    used: new Map((used.data?.data ?? []).map(({ key, places }) => [key, places])),
    /** The default language has changed since this text was written. */
    isOutdated: (locale: string, key: string): boolean =>
      edits[locale]?.[key] === undefined && (health.get(locale)?.outdated.has(key) ?? false),
    /** What is wrong with the stored text as a template. */
    faultOf: (locale: string, key: string): string | undefined =>
      edits[locale]?.[key] === undefined ? health.get(locale)?.faults.get(key) : undefined,
    review: (locale: string, key: string) => void review(locale, key),
    keysOf: (locale: string): Set<string> => new Set(textsOf(contents.get(locale) ?? {}).keys()),
    textOf,
    change,
    isEdited: (locale: string, key: string): boolean => edits[locale]?.[key] !== undefined,
    editedKeys: [...new Set(Object.values(edits).flatMap((of) => Object.keys(of)))],
    addLocale: (locale: string) => setAdded([...added, locale]),
    isStored: (locale: string) => stored.includes(locale),
    dropLocale: (locale: string) => {
      setAdded(added.filter((one) => one !== locale));
      held.change(Object.fromEntries(Object.entries(edits).filter(([name]) => name !== locale)));
    },
    count,
    isChanged,
    isSaving,
    restoredAt: held.restoredAt,
    discard: () => held.restart(nothing),
    save: () => void save(),
  };
}

const healthOf = ({ outdatedKeys = [], faults = [] }: Translation) => ({
  outdated: new Set(outdatedKeys),
  faults: new Map(faults.map(({ key, message }) => [key, message])),
});

export type Group = ReturnType<typeof useGroup>;

async function readContent(params: Pick<Translation, "resourceType" | "resourceId" | "locale">, environmentId: string) {
  try {
    return (await callOperation("translations.retrieve", { params }, environmentId)).content as Content;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return {};
    throw error;
  }
}
