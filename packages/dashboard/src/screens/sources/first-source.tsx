// What sources are, and the two ways to get one.
import type { ReactNode } from "react";
import { useEnvironment } from "../../api/session.tsx";
import { Code } from "../../kit/data/code.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Card } from "../../kit/layout/page.tsx";
import { ReferenceLink } from "./reference-link.tsx";
import css from "./sources.module.css";
import { words } from "./words.ts";

const text = words.first;

/** `add`: the button, for those who may create a source. */
export function FirstSource({ add }: { add: ReactNode }) {
  const { identifier } = useEnvironment();
  return (
    <>
      <EmptyState icon="database" title={text.title} text={text.text} />
      <div className={css.ways}>
        <Card title={text.local.title}>
          <ol className={css.steps}>
            <li>
              <p>{text.local.grant}</p>
              <Code text={words.grantCommand(identifier)} label={text.local.grantLabel} />
            </li>
            <li>
              <p>{text.local.call}</p>
              <Code text={words.callExample} label={text.local.callLabel} />
            </li>
          </ol>
        </Card>
        <Card title={text.other.title}>
          <ol className={css.steps}>
            <li>
              <p>{text.other.install}</p>
              <Code text={words.installCommand} label={text.other.installLabel} />
            </li>
            <li>
              <p>{text.other.add}</p>
              {add && <div>{add}</div>}
            </li>
            <li>
              <p>{text.other.call}</p>
              <Code text={words.callExample} label={text.other.callLabel} />
            </li>
          </ol>
        </Card>
      </div>
      <div className={css.reference}>
        <ReferenceLink />
      </div>
    </>
  );
}
