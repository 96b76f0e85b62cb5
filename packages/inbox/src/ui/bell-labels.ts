// The words of the bell, which are needed before the panel is loaded.

/** What the widget shows of a count: "99+" beyond 99. */
export const badgeText = (count: number): string => (count > 99 ? "99+" : String(count));

export const bellLabels = {
  title: "Notifications",
  bell: (unread: number): string => (unread === 0 ? "Notifications" : `Notifications, ${badgeText(unread)} unread`),
  newMessages: (count: number): string => (count === 1 ? "1 new message" : `${badgeText(count)} new messages`),
};
