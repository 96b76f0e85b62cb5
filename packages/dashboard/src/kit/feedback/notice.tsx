// A line above a form or a list that says something about all of it, such as why it cannot be changed.
import type { ReactNode } from "react";
import { Icon, type IconName } from "../../icons.tsx";
import { classNames } from "../class-names.ts";
import type { Tone } from "../tone.ts";
import css from "./notice.module.css";

type NoticeProps = {
  tone?: Extract<Tone, "info" | "warn" | "bad" | "good">;
  icon?: IconName;
  children: ReactNode;
  action?: ReactNode;
};

export const Notice = ({ tone = "info", icon = "alert", children, action }: NoticeProps) => (
  <div className={classNames(css.notice, css[tone])}>
    <Icon name={icon} />
    <div className={css.text}>{children}</div>
    {action}
  </div>
);
