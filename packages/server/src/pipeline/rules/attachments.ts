// Files that an event carries in `payload.attachments`: checked when the event is taken in, stored beside it, and read again
// when a mail is sent. The payload that everything else sees names them without their content.
import { type Channel, channels } from "@tidings/contract";
import { isObject } from "../../lib/json.ts";

export type EventAttachment = {
  name: string;
  mime: string;
  file: string;
  channels?: Channel[] | null;
  /** By which the html shows an image: `<img src="cid:…">`. */
  cid?: string | null;
  disposition?: (typeof dispositions)[number] | null;
};

const dispositions = ["inline", "attachment"] as const;

const maxAttachments = 10;

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[a-z0-9+/]+={0,2}$/i.test(text);

/** As long as every provider takes them. */
const contentId = /^[!-;=?-~]{1,78}$/;

const mimeType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=[\w!#$&^.+"-]+)*$/;

/** What is wrong with the attachments of a payload, in words; empty when nothing is. */
export function attachmentFaults(payload: Record<string, unknown>): string[] {
  const { attachments } = payload;
  if (attachments === undefined || attachments === null) return [];
  if (!Array.isArray(attachments)) return ["payload.attachments must be an array"];
  if (attachments.length > maxAttachments) {
    return [`payload.attachments must contain no more than ${maxAttachments} elements`];
  }
  return attachments.flatMap((attachment: unknown, index) => {
    const field = `payload.attachments.${index}`;
    if (!isObject(attachment)) return [`${field} must be an object`];
    const { name, mime, file, channels: only, cid, disposition } = attachment;
    const faults: string[] = [];
    if (typeof name !== "string" || !/^[^\p{Cc}/\\]{1,255}$/u.test(name)) {
      faults.push(`${field}.name must be a file name of 1 to 255 characters`);
    }
    if (typeof mime !== "string" || mime.length > 255 || !mimeType.test(mime)) {
      faults.push(`${field}.mime must be a media type such as application/pdf`);
    }
    if (typeof file !== "string" || !isBase64(file)) faults.push(`${field}.file must be a base64 string`);
    const areChannels = Array.isArray(only) && only.every((one) => (channels as readonly unknown[]).includes(one));
    if (only !== undefined && only !== null && !areChannels) {
      faults.push(`${field}.channels must be a list of: ${channels.join(", ")}`);
    }
    if (cid !== undefined && cid !== null && !(typeof cid === "string" && contentId.test(cid))) {
      const rule = "1 to 78 printable ASCII characters without spaces, < and >";
      faults.push(`${field}.cid must be a content id: ${rule}`);
    }
    if (disposition !== undefined && disposition !== null && !dispositions.some((one) => one === disposition)) {
      faults.push(`${field}.disposition must be ${dispositions.join(" or ")}`);
    }
    return faults;
  });
}

/** What the payload keeps of an attachment beside its size. */
const shownMembers = ["name", "mime", "channels", "cid", "disposition"];

/** The payload as it is stored and shown, and the attachments to store beside it; null where there are none. */
export function takeOutFiles(payload: Record<string, unknown>): {
  payload: Record<string, unknown>;
  attachments: EventAttachment[] | null;
} {
  const attachments = attachmentsOf(payload);
  if (attachments.length === 0) return { payload, attachments: null };
  const shown = attachments.map((attachment) => {
    const members = Object.entries(attachment).filter(([name]) => shownMembers.includes(name));
    return { ...Object.fromEntries(members), size: Buffer.byteLength(attachment.file, "base64") };
  });
  return { payload: { ...payload, attachments: shown }, attachments };
}

const attachmentsOf = ({ attachments }: { attachments?: unknown }): EventAttachment[] =>
  Array.isArray(attachments) ? attachments : [];

/** The attachments that go out on this channel: those that name no channel go out on every one that can carry them. */
export const attachmentsFor = (holder: { attachments?: unknown }, channel: Channel): EventAttachment[] =>
  attachmentsOf(holder).filter(({ channels: only }) => !only || only.includes(channel));
