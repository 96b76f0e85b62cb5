// The budgets as sentences, in the order in which they decide.
import type { AttentionBudget } from "@tidings/contract";
import { useRef, useState } from "react";
import { Icon } from "../../icons.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { Card } from "../../kit/layout/page.tsx";
import { stepIcons } from "../../outcomes/tones.ts";
import css from "./attention.module.css";
import { BudgetDialog } from "./budget-dialog.tsx";
import { faultsAt } from "./budget-fields.ts";
import { budgetSentence, words } from "./words.ts";

type BudgetListProps = {
  budgets: readonly AttentionBudget[];
  /** Errors that the last save returned, by field. */
  errors: Readonly<Record<string, string>>;
  isReadOnly: boolean;
  /** There is nothing to save yet. */
  isFirst?: boolean;
  onChange: (budgets: AttentionBudget[]) => void;
};

export function BudgetList({ budgets, errors, isReadOnly, isFirst, onChange }: BudgetListProps) {
  const [edited, setEdited] = useState<number | null>(null);
  const list = useRef<HTMLElement>(null);
  const dialog = edited !== null && (
    <BudgetDialog budgets={budgets} index={edited} onApply={onChange} onClose={() => setEdited(null)} />
  );
  const move = (from: number, to: number) =>
    onChange(budgets.toSpliced(from, 1).toSpliced(to, 0, ...budgets.slice(from, from + 1)));
  const remove = (index: number) => {
    onChange(budgets.toSpliced(index, 1));
    // Its button is gone.
    list.current?.focus();
  };
  return (
    <section ref={list} tabIndex={-1} aria-label={words.budgets} className={css.budgets}>
      {budgets.length === 0 ? (
        <EmptyState
          icon="gauge"
          title={words.none}
          text={words.noneText}
          action={
            !isReadOnly && (
              <Button look={isFirst ? "primary" : undefined} icon="plus" onClick={() => setEdited(0)}>
                {words.add}
              </Button>
            )
          }
        />
      ) : (
        <Card
          title={words.budgets}
          actions={
            !isReadOnly && (
              <Button size="small" icon="plus" onClick={() => setEdited(budgets.length)}>
                {words.add}
              </Button>
            )
          }
        >
          <ol className={css.rows}>
            {budgets.map((budget, index) => (
              <BudgetRow
                key={budgetSentence(budget)}
                budget={budget}
                faults={Object.values(faultsAt(errors, index))}
                tools={
                  !isReadOnly && {
                    up: index > 0 ? () => move(index, index - 1) : undefined,
                    down: index < budgets.length - 1 ? () => move(index, index + 1) : undefined,
                    edit: () => setEdited(index),
                    remove: () => remove(index),
                  }
                }
              />
            ))}
          </ol>
          <p className={css.hint}>
            {budgets.length > 1 && `${words.order} `}
            {words.never}
          </p>
        </Card>
      )}
      {dialog}
    </section>
  );
}

type Tools = { up?: () => void; down?: () => void; edit: () => void; remove: () => void };

type BudgetRowProps = { budget: AttentionBudget; faults: readonly string[]; tools: Tools | false };

function BudgetRow({ budget, faults, tools }: BudgetRowProps) {
  const sentence = budgetSentence(budget);
  const [limit, rest] = sentence.split("; ");
  return (
    <li className={css.row}>
      <span className={css.channel}>
        <Icon name={stepIcons[budget.channel]} />
      </span>
      <div className={css.sentence}>
        <strong>{limit}</strong>
        <span>{rest}</span>
        {faults.map((fault) => (
          <span key={fault} role="alert" className={css.fault}>
            {words.fault(fault)}
          </span>
        ))}
      </div>
      {tools && (
        <div className={css.tools}>
          {(tools.up || tools.down) && (
            <>
              <IconButton
                icon="arrowUp"
                size="small"
                label={words.up(sentence)}
                disabled={!tools.up}
                onClick={tools.up}
              />
              <IconButton
                icon="arrowDown"
                size="small"
                label={words.down(sentence)}
                disabled={!tools.down}
                onClick={tools.down}
              />
            </>
          )}
          <IconButton icon="pencil" size="small" label={words.edit(sentence)} onClick={tools.edit} />
          <IconButton icon="trash" size="small" label={words.remove(sentence)} onClick={tools.remove} />
        </div>
      )}
    </li>
  );
}
