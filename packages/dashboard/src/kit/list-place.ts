// The place in a searched list, as it stands in the URL; apart from the list, since routes are in the first bundle.

export type ListPlace = { q?: string; page?: number };

/** What is not a search or a page is left out, so that an old link still works. */
export const readListPlace = ({ q, page }: Record<string, unknown>): ListPlace => ({
  ...((typeof q === "string" || typeof q === "number") && q !== "" && { q: String(q).slice(0, 255) }),
  ...(Number.isInteger(page) && (page as number) > 0 && { page: page as number }),
});
