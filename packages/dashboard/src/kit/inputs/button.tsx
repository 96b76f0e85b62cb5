// Buttons, and links that look like one.
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";
import { Icon, type IconName } from "../../icons.tsx";
import { classNames } from "../class-names.ts";
import css from "./button.module.css";

type Look = {
  /** One primary button on a screen at most. */
  look?: "primary" | "danger" | "dangerPrimary" | "plain";
  size?: "small";
  icon?: IconName;
};

const classOf = ({ look, size }: Look, isSquare = false): string =>
  classNames(css.button, look && css[look], size && css.small, isSquare && css.square);

type ButtonProps = Look & Omit<ComponentProps<"button">, "className">;

export const Button = ({ look, size, icon, children, type = "button", ...rest }: ButtonProps) => (
  <button type={type} className={classOf({ look, size })} {...rest}>
    {icon && <Icon name={icon} size={size === "small" ? 13 : 15} />}
    {children}
  </button>
);

/** A button with an icon only: the label is read aloud and shown on hover. */
export const IconButton = ({
  label,
  icon,
  look = "plain",
  size,
  type = "button",
  ...rest
}: ButtonProps & { label: string; icon: IconName }) => (
  <button type={type} className={classOf({ look, size }, true)} aria-label={label} title={label} {...rest}>
    <Icon name={icon} size={size === "small" ? 14 : 16} />
  </button>
);

export const LinkButton = ({
  look,
  size,
  icon,
  children,
  ...link
}: Look & { children: ReactNode; target?: "_blank" } & Pick<LinkProps, "to" | "params" | "search" | "hash">) => (
  <Link className={classOf({ look, size })} {...link}>
    {icon && <Icon name={icon} size={size === "small" ? 13 : 15} />}
    {children}
  </Link>
);

/** For addresses outside of the dashboard's routes. */
export const AnchorButton = ({
  look,
  size,
  icon,
  children,
  ...anchor
}: Look & Omit<ComponentProps<"a">, "className">) => (
  <a className={classOf({ look, size })} {...anchor}>
    {icon && <Icon name={icon} size={size === "small" ? 13 : 15} />}
    {children}
  </a>
);
