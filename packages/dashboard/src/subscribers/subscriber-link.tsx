// A subscriber in a list: the initials, the name and the id, as a link to its page.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Avatar, type Named, nameOf } from "./avatar.tsx";
import css from "./subscriber-link.module.css";

/** `mark`: after the name. */
export const SubscriberLink = ({ subscriber, mark }: { subscriber: Named; mark?: ReactNode }) => (
  <Link to="/subscribers/$subscriberId" params={{ subscriberId: subscriber.subscriberId }} className={css.link}>
    <Avatar subscriber={subscriber} />
    <span className={css.text}>
      <span className={css.name}>
        {nameOf(subscriber)}
        {mark}
      </span>
      <span className={css.id}>{subscriber.subscriberId}</span>
    </span>
  </Link>
);
