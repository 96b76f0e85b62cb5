// Effects with their counts. Where there is a list of people below, each chooses whose people are listed.
import type { BacktestEffect } from "@tidings/contract";
import { Badge } from "../kit/feedback/verdict.tsx";
import { Note } from "../kit/layout/layout.tsx";
import css from "./backtests.module.css";
import { effectNames, effectsOf, effectTones } from "./effects.ts";
import { words } from "./words.ts";

type EffectListProps = {
  of: Readonly<Record<string, number>>;
  onChoose?: (effect: BacktestEffect) => void;
};

export function EffectList({ of, onChoose }: EffectListProps) {
  const found = effectsOf(of);
  if (found.length === 0) return <Note>{words.report.same}</Note>;
  return (
    <ul className={css.effects}>
      {found.map(([effect, count]) => {
        const badge = (
          <Badge tone={effectTones[effect]}>
            {effectNames[effect]} {words.number(count)}
          </Badge>
        );
        return (
          <li key={effect}>
            {onChoose ? (
              <button type="button" className={css.effect} onClick={() => onChoose(effect)}>
                {badge}
              </button>
            ) : (
              badge
            )}
          </li>
        );
      })}
    </ul>
  );
}
