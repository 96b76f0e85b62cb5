// What can be done with an inbox, in one table for two surfaces: the subscriber's own browser (`inbox.*`), whose inbox
// is found by the session, and the customer's server (`subscriberNotifications.*`), whose path names the subscriber.
import type { Input, NotificationSelection } from "@tidings/contract";
import type { Caller, Ctx, InboxCaller } from "../../context.ts";
import type { StoredMark } from "../../store/messages/message-marks.ts";
import { requireSubscriber } from "../subscribers/subscribers.ts";
import {
  countInboxMessages,
  deleteInboxMessage,
  deleteInboxMessages,
  type Inbox,
  listInboxMessages,
  markAllInboxMessages,
  markInboxMessage,
  markInboxMessagesSeen,
  setAction,
  undoMarks,
} from "./inbox-messages.ts";
import { snooze, unsnooze } from "./snooze.ts";

type Action<I, R> = (ctx: Ctx, inbox: Inbox, input: I) => Promise<R>;

type OnMessage = { params: { notificationId: string } };
type OnSelection = { body: NotificationSelection };

const mark =
  (as: StoredMark) =>
  (ctx: Ctx, inbox: Inbox, { params }: OnMessage) =>
    markInboxMessage(ctx, inbox, params.notificationId, as);

const markAll =
  (as: StoredMark, only: { read?: boolean } = {}) =>
  async (ctx: Ctx, inbox: Inbox, { body }: OnSelection): Promise<undefined> => {
    await markAllInboxMessages(ctx, inbox, { mark: as, selection: body, only });
  };

/** The button is named in the path or in the body. */
type OnButton = OnMessage & ({ params: { actionType: string }; body: undefined } | { body: { actionType: string } });

const press = (status: "done" | "pending") => (ctx: Ctx, inbox: Inbox, input: OnButton) => {
  const { actionType } = input.body === undefined ? input.params : input.body;
  return setAction(ctx, inbox, input.params.notificationId, { type: actionType, status });
};

export const inboxActions = {
  list: (ctx: Ctx, inbox: Inbox, { query }: Pick<Input<"inbox.listNotifications">, "query">) =>
    listInboxMessages(ctx, inbox, query),
  count: (ctx: Ctx, inbox: Inbox, { query }: { query: { filters: string } }) =>
    countInboxMessages(ctx, inbox, query.filters),
  read: mark("read"),
  unread: mark("unread"),
  archive: mark("archived"),
  unarchive: mark("unarchived"),
  snooze: (ctx: Ctx, inbox: Inbox, { params, body }: OnMessage & { body: { snoozeUntil: string } }) =>
    snooze(ctx, inbox, params.notificationId, body.snoozeUntil),
  unsnooze: (ctx: Ctx, inbox: Inbox, { params }: OnMessage) => unsnooze(ctx, inbox, params.notificationId),
  complete: press("done"),
  revert: press("pending"),
  remove: (ctx: Ctx, inbox: Inbox, { params }: OnMessage) => deleteInboxMessage(ctx, inbox, params.notificationId),
  see: (ctx: Ctx, inbox: Inbox, { body }: Pick<Input<"inbox.seeNotifications">, "body">) =>
    markInboxMessagesSeen(ctx, inbox, body),
  readAll: markAll("read"),
  archiveAll: markAll("archived"),
  archiveRead: markAll("archived", { read: true }),
  removeAll: (ctx: Ctx, inbox: Inbox, { body }: OnSelection) => deleteInboxMessages(ctx, inbox, body),
  markMany: (ctx: Ctx, inbox: Inbox, { body }: Pick<Input<"inbox.markNotifications">, "body">) => {
    const { mark, only, ...selection } = body;
    return markAllInboxMessages(ctx, inbox, { mark, selection, only: only ? { read: true } : {} });
  },
  undoMark: (ctx: Ctx, inbox: Inbox, { body }: { body: { markedAt: string } }) => undoMarks(ctx, inbox, body.markedAt),
};

/** In the inbox of the session. */
export const bySession =
  <I, R>(action: Action<I, R>) =>
  (ctx: Ctx, caller: InboxCaller, input: I): Promise<R> =>
    action(ctx, { caller, subscriber: caller.subscriber, contextKeys: caller.contextKeys }, input);

/** In the inbox of the subscriber that the path names, or 404. */
export const bySubscriber =
  <I, R>(action: Action<I, R>) =>
  async (ctx: Ctx, caller: Caller, input: I & { params: { subscriberId: string } }): Promise<R> =>
    action(ctx, { caller, subscriber: await requireSubscriber(ctx, caller, input.params.subscriberId) }, input);

/** The responses of a session have their result in `data`. */
export const asData =
  <I, R>(action: Action<I, R>): Action<I, { data: R }> =>
  async (ctx, inbox, input) => ({ data: await action(ctx, inbox, input) });
