// What is typed and not saved: a mail as the service renders it, a page and an inbox in the same colours, and what is
// hard to read.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Brand, BrandIn, Output } from "@tidings/contract";
import type { CSSProperties } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { callOperation } from "../../api/client.ts";
import { useEnvironment } from "../../api/session.tsx";
import { Letter } from "../../kit/data/letter.tsx";
import { MailFrame } from "../../kit/data/mail-frame.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Aside } from "../../kit/layout/layout.tsx";
import { useSettled } from "../../kit/use-settled.ts";
import css from "./brand.module.css";
import { words } from "./words.ts";

const say = words.preview;

export function BrandPreview({ draft, isOverride }: { draft: BrandIn; isOverride: boolean }) {
  const { _id } = useEnvironment();
  const brand = useSettled(draft);
  const { data, error } = useQuery<Output<"brand.preview">, ApiError>({
    queryKey: [_id, "brand.preview", brand, isOverride],
    queryFn: ({ signal }) => callOperation("brand.preview", { body: { brand, isOverride }, signal }, _id),
    placeholderData: keepPreviousData,
    retry: false,
  });
  // A half-typed colour is refused: its field says so when it is saved, and the last good preview stays.
  const isFault = error && Object.keys(error.fields).length > 0;
  return (
    <Aside label={say.title}>
      <h2>{say.title}</h2>
      {error && !isFault && <ErrorPanel error={error} />}
      {isFault && <Notice tone="bad">{Object.values(error.fields)[0]}</Notice>}
      {!data && !error && <Skeleton rows={8} />}
      {data && (
        <>
          <Warnings warnings={data.warnings} />
          <Letter views={say.views} label={say.as} isOld={Boolean(error)}>
            {(view) => {
              if (view === "page") return <SamplePage brand={data.brand} />;
              if (view === "inbox") return <SampleInbox brand={data.brand} />;
              const scheme = view === "dark" ? "dark" : "light";
              const device = view === "phone" ? view : "desktop";
              return <MailFrame html={data.mail} title={say.title} device={device} height="36rem" scheme={scheme} />;
            }}
          </Letter>
        </>
      )}
    </Aside>
  );
}

function Warnings({ warnings }: Pick<Output<"brand.preview">, "warnings">) {
  return (
    <div className={css.warnings} role="status">
      {warnings.length === 0 ? (
        <Notice tone="good" icon="check">
          {words.readable}
        </Notice>
      ) : (
        warnings.map(({ field, message }) => (
          <Notice key={field + message} tone="warn">
            {message}
          </Notice>
        ))
      )}
    </div>
  );
}

const variablesOf = ({ colors, cornerRadius, fontStack }: Brand) =>
  ({
    "--brand-primary": colors.primary,
    "--brand-on-primary": colors.primaryText,
    "--brand-text": colors.text,
    "--brand-heading": colors.heading,
    "--brand-background": colors.background,
    "--brand-surface": colors.surface,
    "--brand-radius": `${cornerRadius}px`,
    fontFamily: fontStack,
  }) as CSSProperties;

/** The colours are the brand's own, unchanged: what is hard to read is said above. */
const SamplePage = ({ brand }: { brand: Brand }) => (
  <div className={css.sample} style={variablesOf(brand)} aria-hidden="true">
    <strong>{brand.name}</strong>
    <p className={css.sampleTitle}>{say.pageTitle}</p>
    <div className={css.sampleCard}>
      {say.pageRows.map((row) => (
        <span key={row}>☑ {row}</span>
      ))}
      <span className={css.sampleButton}>{say.pageSave}</span>
    </div>
  </div>
);

const SampleInbox = ({ brand }: { brand: Brand }) => (
  <div className={css.sample} style={variablesOf(brand)} aria-hidden="true">
    <div className={css.sampleCard}>
      <strong>{say.inboxTitle}</strong>
      {say.inboxItems.map((item, index) => (
        <span key={item} className={css.sampleItem}>
          <i className={css.sampleDot} />
          {item}
          {index === 0 && <span className={css.sampleButton}>{say.inboxAction}</span>}
        </span>
      ))}
    </div>
  </div>
);
