import type { Subscriber } from "@tidings/contract";
import css from "./people.module.css";

type Named = Pick<Subscriber, "subscriberId" | "firstName" | "lastName">;

export const nameOf = ({ firstName, lastName, subscriberId }: Named): string =>
  [firstName, lastName].filter(Boolean).join(" ") || subscriberId;

/** As in a sentence: the first name, where it is known. */
export const callNameOf = (person: Named): string => person.firstName || nameOf(person);

/** Initials. Pictures of other sites are not loaded: the policy of the page allows none. */
export const Avatar = ({ person, isLarge }: { person: Named; isLarge?: boolean }) => (
  <span className={css.avatar} data-large={isLarge} aria-hidden="true">
    {nameOf(person)
      .split(/[\s@._-]+/)
      .slice(0, 2)
      .map((part) => part.charAt(0).toUpperCase())
      .join("")}
  </span>
);
