// The menu itself; see ../menu.tsx.
import { Menu as Base } from "@base-ui/react/menu";
import { Link } from "@tanstack/react-router";
import { Fragment, useId, useRef } from "react";
import { Icon } from "../../../icons.tsx";
import { classNames } from "../../class-names.ts";
import css from "../float.module.css";
import type { MenuEntry, MenuProps } from "./props.ts";

/** An entry may open a dialog, which has the focus before the menu has gone: it is not taken from it. */
const isDialogFocused = (): boolean => document.activeElement?.closest("[role=dialog], [role=alertdialog]") != null;

type PopupProps = MenuProps & { isOpen: boolean; onOpenChange: (isOpen: boolean) => void };

export function MenuPopup(props: PopupProps) {
  const { trigger, entries, side = "bottom", align = "start", isTall, focusAfter, isOpen, onOpenChange } = props;
  const id = useId();
  const isChosen = useRef(false);
  return (
    <Base.Root
      modal={false}
      open={isOpen}
      onOpenChange={(isNowOpen, { reason }) => {
        isChosen.current = reason === "item-press";
        onOpenChange(isNowOpen);
      }}
    >
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={css.positioner} side={side} align={align} sideOffset={6}>
          <Base.Popup
            className={classNames(css.popup, isTall && css.tall)}
            finalFocus={() => (focusAfter && isChosen.current ? (focusAfter() ?? false) : !isDialogFocused())}
          >
            {entries.map((entry, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the entries of an open menu keep their places
              <Fragment key={index}>{drawEntry(entry, `${id}-${index}`)}</Fragment>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function drawEntry(entry: MenuEntry, id: string) {
  if ("kind" in entry && entry.kind === "line") return <Base.Separator className={css.separator} />;
  if ("kind" in entry && entry.kind === "group") return <div className={css.groupLabel}>{entry.label}</div>;
  const inside = (
    <>
      {entry.icon && <Icon name={entry.icon} size={15} />}
      <span className={css.text}>
        <span id={id}>{entry.label}</span>
        {entry.note && (
          <span id={`${id}-note`} className={css.note}>
            {entry.note}
          </span>
        )}
      </span>
      {"isChosen" in entry && entry.isChosen && <Icon name="check" size={14} />}
    </>
  );
  const common = {
    className: classNames(css.item, entry.isDanger && css.danger),
    disabled: entry.isDisabled,
    // The label is the name; the note describes it.
    ...(entry.note && { "aria-labelledby": id, "aria-describedby": `${id}-note` }),
  };
  if ("link" in entry)
    return (
      <Base.LinkItem className={common.className} closeOnClick render={<Link {...entry.link} />}>
        {inside}
      </Base.LinkItem>
    );
  if ("href" in entry)
    return (
      <Base.LinkItem className={common.className} closeOnClick href={entry.href}>
        {inside}
      </Base.LinkItem>
    );
  if ("isChosen" in entry)
    return (
      <Base.CheckboxItem {...common} checked={entry.isChosen} onCheckedChange={entry.onChoose} closeOnClick>
        {inside}
      </Base.CheckboxItem>
    );
  return (
    <Base.Item {...common} onClick={entry.onChoose}>
      {inside}
    </Base.Item>
  );
}
