// The body of an email or a layout: blocks in the visual editor, or HTML as code, and the way from one to the other.
import { lazy, Suspense, useRef, useState } from "react";
import type { Fault } from "../fields/code-editor.tsx";
import { CodeField } from "../fields/code-field.tsx";
import { type Names, noNames } from "../fields/completion/names.ts";
import { unknownNames } from "../fields/completion/unknown-names.ts";
import { words as fieldWords } from "../fields/words.ts";
import { Skeleton } from "../kit/feedback/states.tsx";
import { Segments } from "../kit/inputs/segments.tsx";
import { useConfirm } from "../kit/overlays/confirm.tsx";
import { showToast } from "../kit/overlays/toast.tsx";
import { bodyOfHtml, type EditorType, editorTypeOf } from "./document/start.ts";
import css from "./email.module.css";
import { useTemplateOf } from "./use-template.ts";
import { words } from "./words.ts";

const BlockBody = lazy(() => import("./editor/block-body.tsx").then((module) => ({ default: module.BlockBody })));

type BodyFieldProps = {
  label: string;
  hint?: string;
  error?: string;
  faults?: readonly Fault[];
  body: string;
  editorType: unknown;
  isReadOnly: boolean;
  /** What templates may use. */
  names: Pick<Names, "variables"> & Partial<Names>;
  /** What a variable is in the preview. */
  sampleOf?: (name: string) => unknown;
  /** `step`: changes with the same one soon after each other are undone together. */
  onChange: (changed: { body: string; editorType?: EditorType }, step: string) => void;
};

export function BodyField(props: BodyFieldProps) {
  const { label, hint, error, faults, body, editorType, isReadOnly, sampleOf, onChange } = props;
  const names = { ...noNames, ...props.names };
  const { variables } = names;
  const mode = useMode(body, editorType);
  const [isConverting, setConverting] = useState(false);
  const { confirm, dialog } = useConfirm();
  const templateOf = useTemplateOf();

  const toHtml = async () => {
    setConverting(true);
    const html = await templateOf(body).catch(() => null);
    setConverting(false);
    if (html === null) return showToast({ title: words.toHtmlFailed, look: "bad" });
    onChange({ body: html, editorType: "html" }, "editor.html");
  };
  const choose = (next: EditorType) => {
    if (next === mode) return;
    if (next === "block") {
      const run = () => onChange({ body: bodyOfHtml(body), editorType: next }, "editor.block");
      if (body.trim() === "") return run();
      return confirm(
        { title: words.toBlocksTitle, text: words.toBlocksText, label: words.toBlocks, isAlways: true },
        run,
      );
    }
    if (isBlank(body)) return onChange({ body: "", editorType: next }, "editor.html");
    confirm(
      { title: words.toHtmlTitle, text: words.toHtmlText, label: words.toHtml, isAlways: true },
      () => void toHtml(),
    );
  };
  return (
    <div className={css.field}>
      {dialog}
      <div className={css.mode}>
        <Segments
          label={words.mode}
          value={mode}
          choices={words.modes}
          isDisabled={isReadOnly || isConverting}
          onChoose={choose}
        />
      </div>
      {mode === "html" ? (
        <CodeField
          label={label}
          hint={hint}
          error={error}
          language="html"
          text={body}
          faults={faults}
          warning={warningOf(body, names)}
          names={names}
          isReadOnly={isReadOnly}
          onChange={(text) => onChange({ body: text }, "body")}
        />
      ) : (
        <>
          <span className={css.label}>{label}</span>
          <Suspense fallback={<Skeleton rows={6} />}>
            <BlockBody
              label={label}
              text={body}
              isReadOnly={isReadOnly}
              error={error}
              faults={faults}
              variables={variables}
              sampleOf={sampleOf}
              onChange={(text, step = "body") => onChange({ body: text }, step)}
            />
          </Suspense>
          {(error ?? hint) && (
            <p className={error ? css.error : css.hint} role={error ? "alert" : undefined}>
              {error ?? hint}
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** While a body is emptied, its editor stays; it changes when another one is chosen or the body is of another. */
function useMode(body: string, editorType: unknown): EditorType {
  const last = useRef<{ mode: EditorType; editorType: unknown } | null>(null);
  const isKept = last.current !== null && body.trim() === "" && last.current.editorType === editorType;
  const mode = isKept ? last.current!.mode : editorTypeOf(body, editorType);
  last.current = { mode, editorType };
  return mode;
}

const warningOf = (body: string, names: Names): string | undefined =>
  unknownNames(body, names)
    .map(({ name, meant }) => fieldWords.completion.unknown(name, meant))
    .join(" ") || undefined;

/** A document in which nothing was written yet. */
const isBlank = (body: string): boolean => body.trim() === "" || body === bodyOfHtml("");
