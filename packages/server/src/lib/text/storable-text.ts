// Text from other servers in a form that PostgreSQL stores: servers may respond with any bytes and with ids of any
// length, and PostgreSQL refuses zero bytes and lone surrogates.

export const storableText = (text: string, maxLength = Number.POSITIVE_INFINITY): string =>
  text.replaceAll("\0", " ").slice(0, maxLength).toWellFormed();

/** Real ids are shorter; and an index has to hold them. */
const maxIdBytes = 512;

/** An id or an address that a provider gave, unchanged; undefined when it cannot be stored. */
export const storableId = (text: string | undefined): string | undefined =>
  text !== undefined && Buffer.byteLength(text) <= maxIdBytes && text.isWellFormed() && !text.includes("\0")
    ? text
    : undefined;
