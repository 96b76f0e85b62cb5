// What is said about messages to addresses that nothing is sent to any more.

import type { SuppressedAddress } from "../../store/subscribers/subscribers.batch.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { detail } from "../rules/details.ts";

const causes: Record<SuppressedAddress["reason"], string> = {
  bounce: "a hard bounce",
  complaint: "a complaint",
  manual: "a request",
};

export const whySuppressed = ({ reason, suppression_id }: SuppressedAddress): string =>
  `the address is suppressed after ${causes[reason]} (${suppression_id})`;

/** Each copy that a mail was sent without. */
export const copiesLeftOut = (copies: readonly SuppressedAddress[], at: Date): StoredDetail[] =>
  copies.map((copy) => {
    const { address, suppression_id: suppressionId } = copy;
    return detail("copy_suppressed", at, { raw: { address, reason: whySuppressed(copy), suppressionId } });
  });
