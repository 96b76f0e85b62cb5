// What the layout looks like, from what is typed and not saved.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ApiError } from "../../api/api-error.ts";
import { callOperation } from "../../api/client.ts";
import { useEnvironment } from "../../api/session.tsx";
import { Letter } from "../../kit/data/letter.tsx";
import { MailFrame } from "../../kit/data/mail-frame.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Aside } from "../../kit/layout/layout.tsx";
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
    <Aside label={say.title}>
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
          {(device) => <MailFrame html={data} title={say.title} device={device} height="32rem" scheme="light" />}
        </Letter>
      )}
      <p className={css.weak}>{say.sample}</p>
    </Aside>
  );
}
