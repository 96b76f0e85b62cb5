// How a mark changes a notification. The result is shown until the service responds.
import type { ActionType, InboxNotification } from "./types.ts";

/** Null: the notification is removed. */
export type Edit = (item: InboxNotification) => InboxNotification | null;

export const read = (item: InboxNotification): InboxNotification => ({
  ...item,
  isRead: true,
  isSeen: true,
  readAt: item.readAt ?? new Date().toISOString(),
});

export const archived: Edit = (item) => ({ ...read(item), isArchived: true });

export const pressed = (type: ActionType, isCompleted: boolean): Edit => {
  const name = `${type}Action` as const;
  return (item) => (item[name] ? { ...item, [name]: { ...item[name], isCompleted } } : item);
};
