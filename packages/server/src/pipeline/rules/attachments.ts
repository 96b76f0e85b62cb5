// Attachments of an event (`payload.attachments`): validated when the event is accepted, stored separately, and read
// again when an email is sent. The stored payload lists them without their content.
import { type Channel, channels, isChannel } from "@tidings/contract";
import { isObject, type JsonObject } from "../../lib/json.ts";

export type EventAttachment = {
  name: string;
  mime: string;
  file: string;
  channels?: Channel[] | null;
  /** Content id for inline images: `<img src="cid:…">`. */
  cid?: string | null;
  disposition?: (typeof dispositions)[number] | null;
};

const dispositions = ["inline", "attachment"] as const;

const maxAttachments = 10;

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[a-z0-9+/]+={0,2}$/i.test(text);

/** 78 characters: the shortest limit among the providers. */
const contentId = /^[!-;=?-~]{1,78}$/;

const mimeType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=[\w!#$&^.+"-]+)*$/;

/** Validation errors of the attachments of a payload; empty when they are valid. */
export function attachmentFaults(payload: JsonObject): string[] {
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
    const areChannels = Array.isArray(only) && only.every((one) => typeof one === "string" && isChannel(one));
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

/** Members of an attachment that the stored payload keeps; its size is added. */
const keptMembers = ["name", "mime", "channels", "cid", "disposition"];

/** The payload as stored and shown, and the attachments to store separately; null without attachments. */
export function extractAttachments(payload: JsonObject): {
  payload: JsonObject;
  attachments: EventAttachment[] | null;
} {
  const attachments = attachmentsOf(payload);
  if (attachments.length === 0) return { payload, attachments: null };
  const listed = attachments.map((attachment) => {
    const members = Object.entries(attachment).filter(([name]) => keptMembers.includes(name));
    return { ...Object.fromEntries(members), size: Buffer.byteLength(attachment.file, "base64") };
  });
  return { payload: { ...payload, attachments: listed }, attachments };
}

const attachmentsOf = ({ attachments }: { attachments?: unknown }): EventAttachment[] =>
  Array.isArray(attachments) ? attachments : [];

/** The attachments for this channel; an attachment without `channels` is for all of them. */
export const attachmentsFor = (holder: { attachments?: unknown }, channel: Channel): EventAttachment[] =>
  attachmentsOf(holder).filter(({ channels: only }) => !only || only.includes(channel));
