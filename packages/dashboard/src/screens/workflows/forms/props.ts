// What the forms of steps that are more than a list of fields are given.
import type { ReactNode } from "react";
import type { Names } from "../../../fields/completion/names.ts";
import type { Knowledge } from "../../../fields/condition-types.ts";
import type { DraftStep, Values } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";

export type OwnFormProps = {
  editor: Editor;
  step: DraftStep;
  names: Names;
  knowledge: Knowledge;
  payload: Values | null;
  /** The sample subscriber; undefined: a made-up one. */
  subscriberId: string | undefined;
  /** The field at a path, as the form of every step draws it. */
  field: (path: string) => ReactNode;
};

/** A path that begins with `controlValues.`, for issues and undo. */
export const errorAt = ({ editor, step }: OwnFormProps, path: string): string | undefined =>
  editor.issues.of(step.key, `controlValues.${path}`);
