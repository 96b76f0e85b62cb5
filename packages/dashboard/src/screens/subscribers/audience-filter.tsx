// Shows only the people of one audience. Where there is no audience yet, there is no filter.
import { useOperation } from "../../api/hooks.ts";
import { Select } from "../../kit/inputs/select.tsx";
import { words as kitWords } from "../../words.ts";
import { words } from "./words.ts";

const most = 100;

type AudienceFilterProps = { chosen: string | undefined; onChoose: (audienceId: string | undefined) => void };

export function AudienceFilter({ chosen, onChoose }: AudienceFilterProps) {
  const { data } = useOperation("audiences.list", { query: { limit: most } }, { staleTime: 60_000 });
  const audiences = data?.data ?? [];
  if (audiences.length === 0 && chosen === undefined) return null;
  const isListed = chosen === undefined || audiences.some(({ audienceId }) => audienceId === chosen);
  return (
    <Select
      name={words.audience}
      value={chosen ?? ""}
      isSet={chosen !== undefined}
      choices={[
        { value: "", label: kitWords.all },
        ...(isListed ? [] : [{ value: chosen, label: chosen }]),
        ...audiences.map(({ audienceId, name }) => ({ value: audienceId, label: name })),
      ]}
      onChange={(next) => onChoose(next || undefined)}
    />
  );
}
