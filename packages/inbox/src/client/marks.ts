// Changes of notifications. Each shows at once, is sent, and is taken back when the service refuses it. Changes of one
// notification are sent one after the other.
import type { Api } from "./api.ts";
import { adjustCounts, type List, type Patch, putItem, removeItems } from "./list.ts";
import type { Store } from "./store.ts";
import type { ActionType, InboxNotification, InboxState, LiveEvent, Undoable } from "./types.ts";

export type MarkOptions = {
  api: Api;
  store: Store<InboxState>;
  undoMs: number;
  patches: Set<Patch>;
  getList: () => List;
  setList: (list: List) => void;
  /** Reads counts and pages again. */
  resync: () => Promise<void>;
};

type Change = (item: InboxNotification) => InboxNotification | null;

export function createMarks({ api, store, undoMs, patches, getList, setList, resync }: MarkOptions) {
  /** The last request of each notification with requests on their way. */
  const queues = new Map<string, Promise<unknown>>();
  /** What the stream said about them meanwhile. */
  const heard = new Map<string, InboxNotification>();
  const deletions = new Map<string, { run: () => void; cancel: () => void }>();
  let forgetting: ReturnType<typeof setTimeout> | undefined;

  const find = (id: string) => store.getState().notifications.find((item) => item.id === id);
  const redraw = () => setList(getList());

  const addPatch = (id: string, apply: Change): Patch => {
    const patch: Patch = { applies: (item) => item.id === id, apply };
    const before = find(id) ?? getList().items.find((item) => item.id === id);
    const { counts } = store.getState();
    if (before && counts) store.set({ counts: adjustCounts(counts, before, apply(before)) });
    patches.add(patch);
    redraw();
    return patch;
  };

  /** Runs after the requests of the same notification that were made before. */
  const inTurn = <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const turn = (queues.get(id) ?? Promise.resolve()).then(work);
    const settled = turn.then(
      () => {},
      () => {},
    );
    queues.set(id, settled);
    void settled.then(() => {
      if (queues.get(id) === settled) queues.delete(id);
    });
    return turn;
  };

  const change = (id: string, verb: string, apply: Change, body?: object): Promise<InboxNotification> => {
    const patch = addPatch(id, apply);
    return inTurn(id, async () => {
      try {
        const path = `/notifications/${encodeURIComponent(id)}/${verb}`;
        const { data } = await api.json<{ data: InboxNotification }>(path, { method: "PATCH", body: body ?? {} });
        patches.delete(patch);
        const other = heard.get(id);
        heard.delete(id);
        setList(putItem(getList(), data));
        // Another device has changed it at the same time, before or after this request.
        if (other && JSON.stringify(other) !== JSON.stringify(data)) void resync().catch(() => {});
        return data;
      } catch (error) {
        patches.delete(patch);
        redraw();
        void resync().catch(() => {});
        throw error;
      }
    });
  };

  const offerUndo = (undoable: Undoable | null) => {
    clearTimeout(forgetting);
    store.set({ undoable });
    if (undoable) forgetting = setTimeout(() => store.set({ undoable: null }), undoMs);
  };

  const isoNow = () => new Date().toISOString();
  const read: Change = (item) => ({ ...item, isRead: true, isSeen: true, readAt: item.readAt ?? isoNow() });
  const pressed = (type: ActionType, isCompleted: boolean): Change => {
    const name = `${type}Action` as const;
    return (item) => (item[name] ? { ...item, [name]: { ...item[name], isCompleted } } : item);
  };

  const many = async (path: string, tags: string[] | undefined, apply: Change): Promise<void> => {
    const hasTag = (item: InboxNotification) => !tags?.length || tags.some((tag) => item.tags?.includes(tag));
    const patch: Patch = { applies: (item) => hasTag(item) && (path === "/delete" || !item.isSnoozed), apply };
    patches.add(patch);
    redraw();
    try {
      await api.json(`/notifications${path}`, { method: "POST", body: tags?.length ? { tags } : {} });
      await resync();
    } finally {
      patches.delete(patch);
      redraw();
    }
  };

  const remove = (id: string): Promise<void> => {
    const before = find(id);
    const patch = addPatch(id, () => null);
    if (before) offerUndo({ kind: "delete", notification: before });
    return new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => deletions.get(id)?.run(), undoMs);
      const settle = (isWanted: boolean) => () => {
        clearTimeout(timer);
        deletions.delete(id);
        resolve(isWanted);
      };
      deletions.set(id, { run: settle(true), cancel: settle(false) });
    }).then(async (isWanted) => {
      try {
        if (isWanted) {
          const path = `/notifications/${encodeURIComponent(id)}/delete`;
          await inTurn(id, () => api.json(path, { method: "DELETE" }));
          setList(removeItems(getList(), [id]));
        } else void resync().catch(() => {});
      } catch (error) {
        void resync().catch(() => {});
        throw error;
      } finally {
        patches.delete(patch);
        redraw();
      }
    });
  };

  const actions = {
    /** Marks as read, which includes seen. */
    read: (id: string) => change(id, "read", read),
    /** Marks as unread; an archived message comes back. */
    unread: (id: string) => change(id, "unread", (item) => ({ ...item, isRead: false, isArchived: false })),
    /** Archives, which includes read. Can be undone. */
    archive: (id: string) => {
      const before = find(id);
      if (before) offerUndo({ kind: "archive", notification: before });
      return change(id, "archive", (item) => ({ ...read(item)!, isArchived: true }));
    },
    unarchive: (id: string) => change(id, "unarchive", (item) => ({ ...item, isArchived: false })),
    /** Hides a message until a time, at least three minutes ahead. It comes back unread. Can be undone. */
    snooze: (id: string, until: Date) => {
      const before = find(id);
      const snoozeUntil = until.toISOString();
      if (before && !before.isSnoozed) offerUndo({ kind: "snooze", notification: before });
      const apply: Change = (item) => ({ ...item, isSnoozed: true, snoozedUntil: snoozeUntil });
      return change(id, "snooze", apply, { snoozeUntil });
    },
    unsnooze: (id: string) => change(id, "unsnooze", (item) => ({ ...item, isSnoozed: false, snoozedUntil: null })),
    /** Says that a button of the message was pressed. */
    complete: (id: string, actionType: ActionType) => change(id, "complete", pressed(actionType, true), { actionType }),
    /** Takes back that a button was pressed. */
    revert: (id: string, actionType: ActionType) => change(id, "revert", pressed(actionType, false), { actionType }),
    /** Deletes for good, after the time in which it can be undone. The promise ends when the service has answered. */
    remove,
    /** Takes back the last archive, snooze or deletion. */
    async undo(): Promise<void> {
      const { undoable } = store.getState();
      offerUndo(null);
      if (!undoable) return;
      const { id, isRead } = undoable.notification;
      if (undoable.kind === "delete") deletions.get(id)?.cancel();
      else if (undoable.kind === "snooze") await actions.unsnooze(id);
      // Archiving has marked it as read.
      else await (isRead ? actions.unarchive(id) : actions.unread(id));
    },
    /** Marks messages as seen that a person has had before the eyes. */
    async seen(ids: string[]): Promise<void> {
      const unseen = new Set(ids.filter((id) => find(id)?.isSeen === false));
      if (unseen.size === 0) return;
      await api.json("/notifications/seen", { method: "POST", body: { notificationIds: [...unseen] } });
      const list = getList();
      setList({ ...list, items: list.items.map((item) => (unseen.has(item.id) ? { ...item, isSeen: true } : item)) });
    },
    /** Marks all messages as read, or those with any of the tags. */
    markAllRead: (tags?: string[]) => many("/read", tags, read),
    archiveAll: (tags?: string[]) => many("/archive", tags, (item) => ({ ...read(item)!, isArchived: true })),
    /** Archives what is read. */
    archiveAllRead: (tags?: string[]) =>
      many("/read-archive", tags, (item) => (item.isRead ? { ...item, isArchived: true } : item)),
    /** Deletes all messages for good, archived and snoozed ones included. */
    removeAll: (tags?: string[]) => many("/delete", tags, () => null),
  };

  return {
    actions,
    /** True when the event is about a notification with a request on its way, whose answer decides. */
    keepBack: (event: LiveEvent): boolean => {
      if (event.kind !== "changed" || !queues.has(event.notification.id)) return false;
      heard.set(event.notification.id, event.notification);
      return true;
    },
    /** Sends the deletions that wait for an undo: the page is about to end. */
    flush: () => {
      for (const { run } of [...deletions.values()]) run();
      clearTimeout(forgetting);
    },
  };
}
