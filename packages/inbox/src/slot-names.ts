// Apart from slots.ts, so that the React component, which needs the names alone, loads no more.
export const slotProperties = [
  ...(["renderItem", "renderSubject", "renderBody", "renderAvatar", "renderActions"] as const),
  ...(["renderBell", "renderEmpty", "renderHeader"] as const),
];
