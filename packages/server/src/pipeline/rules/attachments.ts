// Files that an event carries in `payload.attachments`, checked when the event is taken in and read again when it is sent.
import { type Channel, channels } from "@tidings/contract";
import { isObject } from "../../lib/json.ts";

export type EventAttachment = { name: string; mime: string; file: string; channels?: Channel[] | null };

const maxAttachments = 10;

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[a-z0-9+/]+={0,2}$/i.test(text);

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
    const { name, mime, file, channels: only } = attachment;
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
    return faults;
  });
}

/** The attachments that go out on this channel: those that name no channel go out on every one that can carry them. */
export const attachmentsFor = (payload: Record<string, unknown>, channel: Channel): EventAttachment[] =>
  Array.isArray(payload.attachments)
    ? (payload.attachments as EventAttachment[]).filter(({ channels: only }) => !only || only.includes(channel))
    : [];
