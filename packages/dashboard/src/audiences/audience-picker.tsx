// Chooses an audience by a part of its name or of its id, where there are more than a list should have.
import { useOperation } from "../api/hooks.ts";
import { type Found, Picker } from "../kit/inputs/picker.tsx";
import { useSettled } from "../kit/use-settled.ts";
import { words } from "./words.ts";

/** Audiences that a menu or a select offers; with more of them, they are searched. */
export const maxListed = 20;

type AudiencePickerProps = {
  label: string;
  chosen?: Found | undefined;
  onChoose: (audienceId: string | undefined) => void;
};

export const AudiencePicker = ({ label, chosen, onChoose }: AudiencePickerProps) => (
  <Picker
    icon="audience"
    label={label}
    hint={words.hint}
    chosen={chosen}
    onChoose={(found) => onChoose(found?.id)}
    useFound={useAudiences}
  />
);

function useAudiences(text: string): { found: Found[]; isCurrent: boolean } {
  const settled = useSettled(text);
  const query = { limit: maxListed, ...(settled !== "" && { query: settled }) };
  const audiences = useOperation("audiences.list", { query }, { keep: true, staleTime: 60_000 });
  const found = (audiences.data?.data ?? []).map(({ audienceId, name }) => ({ id: audienceId, name }));
  return { found, isCurrent: settled === text && !audiences.isFetching && !audiences.isPlaceholderData };
}
