// Tabs. The chosen one is usually kept in the URL, by the screen.
import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import css from "./tabs.module.css";

export type Tab<T extends string> = { value: T; label: string; count?: number; panel: ReactNode };

type TabsProps<T extends string> = { value: T; tabs: readonly Tab<T>[]; onChange: (value: T) => void };

export const Tabs = <T extends string>({ value, tabs, onChange }: TabsProps<T>) => (
  <Base.Root value={value} onValueChange={(next) => onChange(next as T)}>
    <Base.List className={css.list}>
      {tabs.map((tab) => (
        <Base.Tab key={tab.value} value={tab.value} className={css.tab}>
          {tab.label}
          {tab.count !== undefined && <span className={css.count}>{tab.count}</span>}
        </Base.Tab>
      ))}
    </Base.List>
    {tabs.map((tab) => (
      <Base.Panel key={tab.value} value={tab.value} className={css.panel}>
        {tab.panel}
      </Base.Panel>
    ))}
  </Base.Root>
);
