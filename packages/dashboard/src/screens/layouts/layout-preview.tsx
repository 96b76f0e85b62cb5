// What the layout looks like, from what is typed and not saved.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ApiError } from "../../api/api-error.ts";
import { callOperation } from "../../api/client.ts";
import { useEnvironment } from "../../api/session.tsx";
import { HtmlFrame } from "../../kit/data/html-frame.tsx";
import { Letter } from "../../kit/data/letter.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { useSettled } from "../../kit/use-settled.ts";
import css from "./layouts.module.css";
import { type LayoutDraft, valuesOf } from "./use-layout-editor.ts";
import { words } from "./words.ts";

const say = words.preview;

export function LayoutPreview({ layoutId, draft }: { layoutId: string; draft: LayoutDraft }) {
  const { _id } = useEnvironment();
  const { body, editorType } = useSettled(draft);
  const { data, error } = useQuery<string, ApiError>({
    queryKey: [_id, "layouts.preview", layoutId, body, editorType],
    queryFn: async ({ signal }) => {
      const controlValues = valuesOf({ ...draft, body, editorType });
      const answer = await callOperation(
        "layouts.preview",
        { params: { layoutId }, body: { controlValues }, signal },
        _id,
      );
      return answer.result.preview.body;
    },
    placeholderData: keepPreviousData,
    retry: false,
  });
  const fault = error && Object.values(error.fields)[0];
  return (
    <section className={css.preview} aria-label={say.title}>
      <h2>{say.title}</h2>
      {error && !fault && <ErrorPanel error={error} />}
      {fault && (
        <Notice tone="bad">
          <strong>{say.fault}</strong> {fault}
        </Notice>
      )}
      {data === undefined && !error && <Skeleton rows={6} />}
      {data !== undefined && (
        <Letter views={say.views} label={say.as} isOld={Boolean(error)}>
          {() => <HtmlFrame html={data} title={say.title} height="32rem" />}
        </Letter>
      )}
      <p className={css.weak}>{say.sample}</p>
    </section>
  );
}
