// Texts in the mails that the service writes itself: invitations and alerts.

/** A line break in a name would end the subject. */
export const toLine = (text: string): string => text.replace(/\s+/g, " ").trim();

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
export const toHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => entities[sign]!);
