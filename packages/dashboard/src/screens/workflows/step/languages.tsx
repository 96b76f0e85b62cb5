// An email in several languages: its texts move to the translations, and stay readable in the editor.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callOperation } from "../../../api/client.ts";
import { useMay } from "../../../api/permissions.ts";
import { useEnvironment } from "../../../api/session.tsx";
import { Button, LinkButton } from "../../../kit/inputs/button.tsx";
import { useConfirm } from "../../../kit/overlays/confirm.tsx";
import { showError, showToast } from "../../../kit/overlays/toast.tsx";
import { changeStep, type DraftStep } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import css from "./step.module.css";
import { words } from "./words.ts";

const say = words.languages;

/** The language of which other languages are translations. */
const sourceLocale = "en_US";

export function Languages({ editor, step }: { editor: Editor; step: DraftStep }) {
  const { workflow, draft, isReadOnly } = editor;
  const { _id: environmentId } = useEnvironment();
  const client = useQueryClient();
  const mayTranslate = useMay()("translations.create");
  const { confirm, dialog } = useConfirm();
  const [isBusy, setBusy] = useState(false);

  const extract = async () => {
    setBusy(true);
    try {
      const { workflows } = await callOperation("translations.retrieveMaster", { query: {} }, environmentId);
      const before = (workflows[workflow.workflowId] ?? {}) as Record<string, unknown>;
      // The editor of blocks, which knows the format, is loaded already where the email has blocks.
      const { extractTexts } = await import("../../../email/editor/block-body.tsx");
      const found = extractTexts(step.controlValues, topTexts(before));
      const count = Object.keys(found.texts).length;
      if (count === 0) return showToast({ title: say.nothing });
      confirm(
        { title: say.title(count), text: say.text, label: say.action, isAlways: true },
        () => void store({ ...before, ...found.texts }, found.values, count),
      );
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  };
  /** The texts first: the email must never name one that does not exist. */
  const store = async (content: Record<string, unknown>, controlValues: DraftStep["controlValues"], count: number) => {
    const body = { resourceType: "workflow" as const, resourceId: workflow.workflowId, locale: sourceLocale, content };
    try {
      await callOperation("translations.create", { body }, environmentId);
      await client.invalidateQueries({
        predicate: ({ queryKey: [of, id] }) => of === environmentId && String(id).startsWith("translations."),
      });
      editor.change(
        { ...changeStep(draft, step.key, { controlValues }), isTranslationEnabled: true },
        `${step.key}.languages`,
      );
      showToast({ title: say.done(count) });
    } catch (error) {
      showError(error);
    }
  };
  if (isReadOnly && !draft.isTranslationEnabled) return null;
  return (
    <div className={css.languages}>
      {dialog}
      <span>
        <strong>{say.label}</strong>
        <span className={css.weak}>{draft.isTranslationEnabled ? say.several : say.one}</span>
      </span>
      {!isReadOnly && mayTranslate && (
        <Button size="small" icon="languages" disabled={isBusy} onClick={() => void extract()}>
          {draft.isTranslationEnabled ? say.more : say.start}
        </Button>
      )}
      {draft.isTranslationEnabled && (
        <LinkButton
          size="small"
          to="/translations/$resourceType/$resourceId"
          params={{ resourceType: "workflow", resourceId: workflow.workflowId }}
          search={{}}
        >
          {say.open}
        </LinkButton>
      )}
    </div>
  );
}

/** New keys have no dots, so only keys without dots can be in their way. */
const topTexts = (content: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(content).map(([key, value]) => [key, typeof value === "string" ? value : ""]));
