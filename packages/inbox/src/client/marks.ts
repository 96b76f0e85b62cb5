// Changes of notifications. Each shows at once, is sent, and is undone when the service refuses it. Changes of one
// notification are sent one after the other.
import type { Api } from "./api.ts";
import { archived, type Edit, pressed, read } from "./edits.ts";
import { adjustCounts, isSame, type List, type Patch } from "./list.ts";
import { createOutbox } from "./outbox.ts";
import type { Store } from "./store.ts";
import type { ActionType, Counts, InboxNotification, InboxState, LiveEvent } from "./types.ts";
import { createUndo } from "./undo.ts";
import type { ChangedNotification, MarkedNotifications } from "./wire.ts";

export type MarkOptions = {
  api: Api;
  store: Store<InboxState>;
  undoMs: number;
  patches: Set<Patch>;
  getList: () => List;
  setList: (list: List) => void;
  /** Applies the service's changes, including to pages that are still loading. */
  apply: (event: LiveEvent) => void;
  /** Reads counts and pages again. */
  resync: () => Promise<void>;
  signal: AbortSignal;
};

const noneUnread: Counts = { total: 0, severity: { high: 0, medium: 0, low: 0, none: 0 }, unseen: 0 };

export function createMarks({ api, store, undoMs, patches, getList, setList, apply, resync, signal }: MarkOptions) {
  const outbox = createOutbox(api, signal);
  const undo = createUndo(store, undoMs);
  /** The last request of each notification with requests on their way. */
  const queues = new Map<string, Promise<unknown>>();
  /** What the stream reported about them in the meantime. */
  const heard = new Map<string, InboxNotification>();
  /** The last responses: the stream repeats them, at times during the next request. */
  let answers: InboxNotification[] = [];
  /** The counts of the service, and the changes that they do not include. */
  let counted: Counts | null = null;
  let uncounted: Patch[] = [];

  const find = (id: string) => store.getState().notifications.find((item) => item.id === id);
  const sync = () => void resync().catch(() => {});
  const redraw = () => {
    setList(getList());
    if (counted) store.set({ counts: uncounted.reduce((counts, { count }) => count?.(counts) ?? counts, counted) });
  };
  const add = (patch: Patch): Patch => {
    patches.add(patch);
    uncounted.push(patch);
    redraw();
    return patch;
  };
  /** The service has responded: its next counts include the change, unless it was refused. */
  const drop = (patch: Patch, isRefused: boolean) => {
    patches.delete(patch);
    if (isRefused) uncounted = uncounted.filter((other) => other !== patch);
    redraw();
  };

  const addPatch = (id: string, change: Edit): Patch => {
    const before = find(id) ?? getList().items.find((item) => item.id === id);
    const count = before && ((counts: Counts) => adjustCounts(counts, before, change(before)));
    return add({ applies: (item) => item.id === id, apply: change, count });
  };

  /** Sent after all earlier requests for the same notification. */
  const send = <T>(id: string, patch: Patch, verb: string, method: string, body?: object): Promise<T> => {
    const path = `/notifications/${encodeURIComponent(id)}/${verb}`;
    const answer = outbox.send<T>(patch, path, { method, body }, queues.get(id));
    const settled = answer
      .catch(() => {})
      .then(() => {
        if (queues.get(id) === settled) queues.delete(id);
      });
    queues.set(id, settled);
    return answer;
  };

  const change = async (id: string, verb: string, edit: Edit, body: object = {}): Promise<InboxNotification> => {
    const patch = addPatch(id, edit);
    try {
      const { data } = await send<ChangedNotification>(id, patch, verb, "PATCH", body);
      const other = heard.get(id);
      heard.delete(id);
      answers = [data, ...answers.slice(0, 9)];
      apply({ kind: "changed", notification: data });
      drop(patch, false);
      // Another device has changed it at the same time, before or after this request.
      if (other && !isSame(other, data)) sync();
      return data;
    } catch (error) {
      drop(patch, true);
      sync();
      throw error;
    }
  };

  type ManyBody = { mark?: "read" | "archived"; only?: "read" };
  const many = async (path: string, tags: string[] | undefined, edit: Edit, body: ManyBody = {}): Promise<void> => {
    const isAll = !tags?.length;
    const patch = add({
      applies: (item) => (isAll || tags.some((tag) => item.tags?.includes(tag))) && (!body.mark || !item.isSnoozed),
      apply: (item) => (body.only && !item.isRead ? item : edit(item)),
      count: (counts) => (isAll && !body.only ? noneUnread : counts),
    });
    undo.offer(null);
    let isRefused = true;
    try {
      const call = { method: "POST", body: isAll ? body : { ...body, tags } };
      const answer = await outbox.send<MarkedNotifications>(patch, `/notifications/${path}`, call);
      isRefused = false;
      if (answer?.data.count) undo.offer({ kind: body.mark === "read" ? "read" : "archive", ...answer.data });
      await resync().catch(() => {});
    } finally {
      drop(patch, isRefused);
    }
  };

  const remove = async (id: string): Promise<void> => {
    const before = find(id);
    const patch = addPatch(id, () => null);
    if (before) undo.offer({ kind: "delete", notification: before });
    let isRefused = true;
    try {
      if (await undo.wait(id)) {
        await send(id, patch, "delete", "DELETE");
        isRefused = false;
        apply({ kind: "removed", ids: [id] });
      } else sync();
    } catch (error) {
      sync();
      throw error;
    } finally {
      drop(patch, isRefused);
    }
  };

  const actions = {
    /** Marks as read, which includes seen. */
    read: (id: string) => change(id, "read", read),
    /** Marks as unread; an archived message comes back. */
    unread: (id: string) => change(id, "unread", (item) => ({ ...item, isRead: false, isArchived: false })),
    /** Archives, which includes read. Can be undone. */
    archive: (id: string) => {
      const before = find(id);
      if (before) undo.offer({ kind: "archive", notification: before });
      return change(id, "archive", archived);
    },
    unarchive: (id: string) => change(id, "unarchive", (item) => ({ ...item, isArchived: false })),
    /** Hides a message until a time, at least three minutes ahead. It comes back unread. Can be undone. */
    snooze: (id: string, until: Date) => {
      const before = find(id);
      const snoozeUntil = until.toISOString();
      if (before && !before.isSnoozed) undo.offer({ kind: "snooze", notification: before });
      return change(id, "snooze", (item) => ({ ...item, isSnoozed: true, snoozedUntil: snoozeUntil }), { snoozeUntil });
    },
    unsnooze: (id: string) => change(id, "unsnooze", (item) => ({ ...item, isSnoozed: false, snoozedUntil: null })),
    /** Reports that a button of the message was pressed. */
    complete: (id: string, actionType: ActionType) => change(id, "complete", pressed(actionType, true), { actionType }),
    /** Reverts the press of a button. */
    revert: (id: string, actionType: ActionType) => change(id, "revert", pressed(actionType, false), { actionType }),
    /** Deletes for good, after the time in which it can be undone. The promise ends with the response. */
    remove,
    /** Undoes the last archive, snooze or deletion, or the last mark of many messages. */
    async undo(): Promise<void> {
      const { undoable } = store.getState();
      undo.offer(null);
      if (!undoable) return;
      if ("markedAt" in undoable) {
        await api.json("/notifications/undo", { method: "POST", body: { markedAt: undoable.markedAt } });
        return resync().catch(() => {});
      }
      const { id, isRead } = undoable.notification;
      if (undoable.kind === "delete") undo.cancel(id);
      else if (undoable.kind === "snooze") await actions.unsnooze(id);
      // Archiving has marked it as read.
      else await (isRead ? actions.unarchive(id) : actions.unread(id));
    },
    /** Marks the given messages as seen. */
    async seen(ids: string[]): Promise<void> {
      const unseen = new Set(ids.filter((id) => find(id)?.isSeen === false));
      if (unseen.size === 0) return;
      await api.json("/notifications/seen", { method: "POST", body: { notificationIds: [...unseen] } });
      const list = getList();
      setList({ ...list, items: list.items.map((item) => (unseen.has(item.id) ? { ...item, isSeen: true } : item)) });
    },
    /** Marks all messages as read, or those with any of the tags. Can be undone. */
    markAllRead: (tags?: string[]) => many("mark", tags, read, { mark: "read" }),
    /** Archives all messages, or those with any of the tags. Can be undone. */
    archiveAll: (tags?: string[]) => many("mark", tags, archived, { mark: "archived" }),
    /** Archives what is read. Can be undone. */
    archiveAllRead: (tags?: string[]) => many("mark", tags, archived, { mark: "archived", only: "read" }),
    /** Deletes all messages for good, archived and snoozed ones included. */
    removeAll: (tags?: string[]) => many("delete", tags, () => null),
  };

  return {
    actions,
    /** The service has sent its counts, which do not include the waiting changes. */
    setCounts: (counts: Counts) => {
      counted = counts;
      uncounted = outbox.waiting();
      redraw();
    },
    /** The service can be reached again: sends what waits. */
    sendWaiting: outbox.flush,
    /** True when the event is about a notification with a request on its way, whose response decides. */
    keepBack: (event: LiveEvent): boolean => {
      if (event.kind !== "changed" || !queues.has(event.notification.id)) return false;
      const { notification } = event;
      if (!answers.some((answer) => isSame(answer, notification))) heard.set(notification.id, notification);
      return true;
    },
    flush: undo.flush,
  };
}
