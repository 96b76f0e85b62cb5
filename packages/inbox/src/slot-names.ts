// Separate from slots.ts, so that the React component, which only needs the names, loads nothing else.
export const slotProperties = [
  ...(["renderItem", "renderSubject", "renderBody", "renderAvatar", "renderActions"] as const),
  ...(["renderBell", "renderEmpty", "renderHeader"] as const),
];
