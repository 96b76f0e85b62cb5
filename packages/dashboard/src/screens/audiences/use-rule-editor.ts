// The state of a rule that is edited: the draft, kept in this browser, and how it is saved.
import { useNavigate } from "@tanstack/react-router";
import type { Audience, JsonObject } from "@tidings/contract";
import { useEffect, useRef } from "react";
import { useChange } from "../../api/hooks.ts";
import { type Base, useDraft } from "../../drafts/use-draft.ts";
import { identifierFrom } from "../../fields/identifier.ts";
import { focusFault } from "../../kit/focus.ts";
import { useConfirm } from "../../kit/overlays/confirm.tsx";
import { beginSave, showNotSaved, showRefused, showSaved } from "../../kit/overlays/toast.tsx";
import { words } from "./words.ts";

export type RuleDraft = {
  name: string;
  /** null: made from the name. Fixed once the audience exists. */
  ownId: string | null;
  description: string;
  rule?: JsonObject;
};

const empty: RuleDraft = { name: "", ownId: null, description: "" };

const draftOf = ({ name, audienceId, description, rule }: Audience): RuleDraft => ({
  name,
  ownId: audienceId,
  description: description ?? "",
  ...(rule && { rule }),
});

const baseOf = (audience: Audience | undefined): Base<RuleDraft> =>
  audience ? { draft: draftOf(audience), version: audience.updatedAt } : { draft: empty, version: undefined };

const stale = [
  "audiences.list",
  "audiences.retrieve",
  "audiences.count",
  "audiences.listPeople",
  "audiences.explain",
  "audiences.preview",
] as const;

/** `audience`: absent for a new one. */
export function useRuleEditor(audience: Audience | undefined, isReadOnly: boolean) {
  const held = useDraft<RuleDraft>({
    recordId: audience ? `audience.${audience._id}` : "audience.new",
    saved: baseOf(audience),
    isReadOnly,
    isDraft: (found) => typeof found?.name === "string",
  });
  const { base, draft, isChanged, restart } = held;
  const navigate = useNavigate();
  const create = useChange("audiences.create", stale);
  const update = useChange("audiences.update", stale);
  const { confirm, dialog } = useConfirm();
  const audienceId = audience?.audienceId ?? draft.ownId ?? identifierFrom(draft.name);
  const { error } = audience ? update : create;

  // A newer version is shown at once where there is nothing to lose.
  useEffect(() => {
    if (audience && !isChanged && audience.updatedAt > (base.version ?? "")) restart(baseOf(audience));
  }, [audience, isChanged, base.version, restart]);

  const adopt = (saved: Audience) => {
    held.adopt(baseOf(saved));
    showSaved(words.form.saved);
  };
  const send = (allowEveryone: boolean) => {
    const { name, description, rule } = draft;
    if (!rule) {
      showRefused(words.form.needsRule);
      return;
    }
    const body = {
      name: name.trim(),
      description: description.trim() || null,
      rule,
      ...(allowEveryone && { allowEveryone }),
    };
    const onError = (problem: NonNullable<typeof error>) => {
      if (problem.code === "AUDIENCE_MATCHES_EVERYONE") return askEveryone(problem.message);
      showNotSaved(problem, () => again.current(), Object.values(problem.fields)[0]);
      focusFault();
    };
    beginSave();
    if (audience) return update.mutate({ params: { audienceId }, body }, { onSuccess: adopt, onError });
    create.mutate(
      { body: { audienceId, ...body } },
      {
        onError,
        onSuccess: (made) => {
          restart(baseOf(undefined));
          showSaved(words.form.created);
          void navigate({ to: "/audiences/$audienceId", params: { audienceId: made.audienceId }, ignoreBlocker: true });
        },
      },
    );
  };
  const askEveryone = (message: string) =>
    confirm(
      {
        title: words.form.everyoneTitle(Number(message.replaceAll(/\D/g, ""))),
        text: words.form.everyoneText,
        label: words.form.everyoneAction,
        isAlways: true,
      },
      () => send(true),
    );
  const save = () => confirm({ title: words.form.saveTitle(draft.name), label: words.form.save }, () => send(false));
  const again = useRef(save);
  again.current = save;

  return {
    ...held,
    audienceId,
    dialog,
    isReadOnly,
    isSaving: create.isPending || update.isPending,
    errors: error?.fields ?? {},
    isTaken: error?.code === "AUDIENCE_EXISTS",
    change: (changed: Partial<RuleDraft>, field: string) => {
      create.reset();
      update.reset();
      held.change({ ...draft, ...changed }, field);
    },
    discard: () => restart(baseOf(audience)),
    save,
  };
}

export type RuleEditor = ReturnType<typeof useRuleEditor>;
