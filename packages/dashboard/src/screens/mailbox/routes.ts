import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Channel } from "@tidings/contract";
import { shellRoute } from "../../app/root-route.tsx";

/** Channels that are captured; in-app messages are in the inbox of the person. */
export const capturedChannels = ["email", "sms", "chat", "push"] as const satisfies Channel[];
export type CapturedChannel = (typeof capturedChannels)[number];

const views = ["preview", "text", "links", "headers", "source"] as const;
export type View = (typeof views)[number];

export type MailboxSearch = {
  channel?: CapturedChannel;
  q?: string;
  /** The message that is read. */
  id?: string;
  view?: View;
  after?: string;
  before?: string;
};

const textOf = (value: unknown): string | undefined =>
  (typeof value === "string" || typeof value === "number") && value !== "" ? String(value).slice(0, 255) : undefined;

const memberOf = <T extends string>(value: unknown, of: readonly T[]): T | undefined =>
  of.find((member) => member === value);

export const mailboxRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/mailbox",
  validateSearch: (search: Record<string, unknown>): MailboxSearch => {
    const read: MailboxSearch = {
      channel: memberOf(search.channel, capturedChannels),
      q: textOf(search.q),
      id: textOf(search.id),
      view: memberOf(search.view, views),
      after: textOf(search.after),
      before: textOf(search.before),
    };
    return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
  },
  component: lazyRouteComponent(() => import("./mailbox-screen.tsx"), "MailboxScreen"),
});

export const mailboxRoutes = [mailboxRoute] as const;
