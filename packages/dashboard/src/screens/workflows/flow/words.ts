// Words of branches, wherever they are drawn.
export const words = {
  else: "Else",
} as const;
