// What the layout looks like, from what is typed and not saved.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { callOperation } from "../../api/client.ts";
import { useEnvironment } from "../../app/session.tsx";
import { HtmlFrame } from "../../kit/html-frame.tsx";
import { Notice } from "../../kit/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/states.tsx";
import { useSettled } from "../../kit/use-settled.ts";
import preview from "../workflows/preview/preview.module.css";
import css from "./layouts.module.css";
import { type LayoutDraft, valuesOf } from "./use-layout-editor.ts";
import { words } from "./words.ts";

const say = words.preview;

export function LayoutPreview({ layoutId, draft }: { layoutId: string; draft: LayoutDraft }) {
  const { _id } = useEnvironment();
  const [view, setView] = useState<keyof typeof say.views>("wide");
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
        <figure className={preview.letter} data-old={Boolean(error)}>
          <div className={view === "phone" ? preview.phone : undefined}>
            <HtmlFrame html={data} title={say.title} height="32rem" />
          </div>
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is seen */}
          <div className={preview.views} role="group" aria-label={say.as}>
            {(Object.keys(say.views) as (keyof typeof say.views)[]).map((name) => (
              <button key={name} type="button" aria-pressed={view === name} onClick={() => setView(name)}>
                {say.views[name]}
              </button>
            ))}
          </div>
        </figure>
      )}
      <p className={css.weak}>{say.sample}</p>
    </section>
  );
}
