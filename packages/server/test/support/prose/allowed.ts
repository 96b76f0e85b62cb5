// What the prose check lets through: phrases in which a pattern is right.
import type { Allowed } from "./prose.ts";

export const allowed: Allowed[] = [
  { name: "beside", phrase: "The end is beside it.\\n//", reason: "a sample in the test of the check itself" },
  { name: "fault", phrase: 'FIXME", fault: /', reason: "code: a sample of the law that contains a comment" },
];
