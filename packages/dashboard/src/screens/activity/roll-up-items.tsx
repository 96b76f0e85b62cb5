// The messages that an attention budget held, and that this event sent as one.
import { Link } from "@tanstack/react-router";
import type { Explanation } from "@tidings/contract";
import { Time } from "../../kit/data/time.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Card } from "../../kit/layout/page.tsx";
import css from "./run.module.css";
import { words } from "./words.ts";

export const RollUpItems = ({ explanation: { rollUp = [], subscriberId } }: { explanation: Explanation }) =>
  rollUp.length > 0 && (
    <Card title={words.rollUp(rollUp.length)}>
      <ul className={css.rollUp}>
        {rollUp.map(({ transactionId, title, workflowName, heldAt, isTakenBack }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an event may have several items
          <li key={index}>
            <Link to="/activity/$transactionId" params={{ transactionId }} search={{ subscriber: subscriberId }}>
              {title || workflowName}
            </Link>
            <span className={css.weak}>
              <Time at={heldAt} />
            </span>
            <span className={css.weak}>
              {workflowName} {isTakenBack && <Badge tone="warn">{words.takenOut}</Badge>}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
