// What the last check of a source found.
import type { SourceCheck } from "@tidings/contract";
import type { ReactNode } from "react";
import { Verdict } from "../../kit/feedback/verdict.tsx";
import { IconButton } from "../../kit/inputs/button.tsx";
import { Card } from "../../kit/layout/page.tsx";
import { words as kitWords } from "../../words.ts";
import css from "./sources.module.css";
import { words } from "./words.ts";

const text = words.one.check;

export const CheckCard = ({ found, onClose }: { found: SourceCheck; onClose: () => void }) => {
  const { isReady, problems, serverVersion, waiting } = found;
  return (
    <Card title={text.title} actions={<IconButton label={kitWords.close} icon="x" size="small" onClick={onClose} />}>
      <ul className={css.findings}>
        {isReady && (
          <Finding tone="good">
            {text.ready} {waiting !== undefined && text.waiting(waiting)}
            {serverVersion && <span className={css.muted}> {text.version(serverVersion)}</span>}
          </Finding>
        )}
        {problems.map((problem) => (
          <Finding key={problem} tone="bad">
            {problem}
          </Finding>
        ))}
      </ul>
    </Card>
  );
};

const Finding = ({ tone, children }: { tone: "good" | "bad"; children: ReactNode }) => (
  <li>
    <Verdict tone={tone} />
    <span>{children}</span>
  </li>
);
