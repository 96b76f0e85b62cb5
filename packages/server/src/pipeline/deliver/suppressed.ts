// What is said about messages to addresses that nothing is sent to any more.
import type { Suppressed } from "../../store/subscribers/suppressions.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { detail } from "../rules/details.ts";

const causes: Record<Suppressed["reason"], string> = {
  bounce: "a hard bounce",
  complaint: "a complaint",
  manual: "a request",
};

export const whySuppressed = ({ reason, suppression_id }: Suppressed): string =>
  `the address is suppressed after ${causes[reason]} (${suppression_id})`;

/** Each copy that a mail was sent without. */
export const copiesLeftOut = (copies: readonly Suppressed[], at: Date): StoredDetail[] =>
  copies.map((copy) => {
    const { address, suppression_id: suppressionId } = copy;
    return detail("copy_suppressed", at, { raw: { address, reason: whySuppressed(copy), suppressionId } });
  });
