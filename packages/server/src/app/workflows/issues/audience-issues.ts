// Issues of conditions that test for audiences: those that do not exist, and tests that name none.
import { audienceTestsIn } from "@tidings/contract";
import { suggestName } from "../../../lib/text/nearest.ts";
import { conditionsOf } from "../../../pipeline/audiences/tested-audiences.ts";
import type { Finding } from "./condition-issues.ts";

const issueType = "ILLEGAL_VARIABLE_IN_CONTROL_VALUE";
const unnamed =
  'audiences can be tested only for an id that is written in the condition: {"in": ["vip", {"var": "audiences"}]}';

export async function audienceIssues(
  step: Parameters<typeof conditionsOf>[0],
  findAudiences: () => Promise<ReadonlySet<string> | null>,
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const { path, condition } of conditionsOf(step)) {
    const { audienceIds, hasOther } = audienceTestsIn(condition);
    if (hasOther) found.push({ path, issueType, message: unnamed });
    const known = audienceIds.length > 0 ? await findAudiences() : null;
    if (!known) continue;
    for (const id of audienceIds)
      if (!known.has(id)) found.push({ path, issueType, message: unknownAudience(id, known) });
  }
  return found;
}

function unknownAudience(id: string, known: ReadonlySet<string>): string {
  const meant = suggestName(id, [...known]);
  return `Audience ${id} does not exist in this environment${meant ? `: did you mean ${meant}?` : ""}`;
}
