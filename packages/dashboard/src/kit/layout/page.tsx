// The frame of a screen: title, what it is for, its actions; cards, and lists of facts.
import { Link, type LinkProps } from "@tanstack/react-router";
import { Fragment, type ReactNode, useEffect } from "react";
import { Icon } from "../../icons.tsx";
import { words } from "../../words.ts";
import { classNames } from "../class-names.ts";
import css from "./page.module.css";

type PageProps = {
  title: string;
  /** Instead of the plain title, where it needs more than text. */
  heading?: ReactNode;
  lead?: ReactNode;
  back?: Pick<LinkProps, "to" | "params" | "search"> & { label: string };
  actions?: ReactNode;
  isNarrow?: boolean;
  /** As wide as the window: for editors with a preview next to them. */
  isFull?: boolean;
  /** The title and the actions stay in sight while the page is scrolled: for editors, whose Save is always wanted. */
  isSticky?: boolean;
  /** What needs a person: shown in the title of the tab. */
  alerts?: number;
  children: ReactNode;
};

export function Page({
  title,
  heading,
  lead,
  back,
  actions,
  isNarrow,
  isFull,
  isSticky,
  alerts = 0,
  children,
}: PageProps) {
  useEffect(() => {
    document.title = `${alerts > 0 ? `(${alerts}) ` : ""}${title} · ${words.product}`;
  }, [title, alerts]);
  const { label, ...link } = back ?? { label: "" };
  return (
    <div className={classNames(css.page, isNarrow && css.narrow, isFull && css.full)}>
      <header className={classNames(css.head, isSticky && css.sticky)}>
        <div className={css.titles}>
          {back && (
            <Link {...link} className={css.back}>
              <Icon name="arrowLeft" size={14} />
              {label}
            </Link>
          )}
          <h1>{heading ?? title}</h1>
          {lead && <p className={css.lead}>{lead}</p>}
        </div>
        {actions && <div className={css.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export const Card = ({ title, actions, children }: { title?: string; actions?: ReactNode; children: ReactNode }) => (
  <section className={css.card}>
    {(title || actions) && (
      <div className={css.cardHead}>
        {title && <h2>{title}</h2>}
        {actions}
      </div>
    )}
    <div className={css.cardBody}>{children}</div>
  </section>
);

/** Pairs of a name and a value; pairs without a value are left out. */
export const Facts = ({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <dl className={css.facts}>
    {of
      .filter(([, value]) => value !== undefined && value !== null && value !== "")
      .map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
  </dl>
);
