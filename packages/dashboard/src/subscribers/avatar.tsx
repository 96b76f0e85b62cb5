import css from "./avatar.module.css";

export type Named = { subscriberId: string; firstName?: string | null; lastName?: string | null };

export const nameOf = ({ firstName, lastName, subscriberId }: Named): string =>
  [firstName, lastName].filter(Boolean).join(" ") || subscriberId;

/** As in a sentence: the first name, where it is known. */
export const callNameOf = (subscriber: Named): string => subscriber.firstName || nameOf(subscriber);

/** Initials. Pictures of other sites are not loaded: the policy of the page allows none. */
export const Avatar = ({ subscriber, isLarge }: { subscriber: Named; isLarge?: boolean }) => (
  <span className={css.avatar} data-large={isLarge} aria-hidden="true">
    {nameOf(subscriber)
      .split(/[\s@._-]+/)
      .slice(0, 2)
      .map((part) => part.charAt(0).toUpperCase())
      .join("")}
  </span>
);
