// Shows only the people of one audience. Where there is no audience yet, there is no filter.
import { useOperation } from "../../api/hooks.ts";
import { AudiencePicker, maxListed } from "../../audiences/audience-picker.tsx";
import { useAudienceName } from "../../audiences/use-audience-name.ts";
import { Select } from "../../kit/inputs/select.tsx";
import { words as kitWords } from "../../words.ts";
import css from "./subscribers.module.css";
import { words } from "./words.ts";

type AudienceFilterProps = { chosen: string | undefined; onChoose: (audienceId: string | undefined) => void };

export function AudienceFilter({ chosen, onChoose }: AudienceFilterProps) {
  const { data } = useOperation("audiences.list", { query: { limit: maxListed } }, { staleTime: 60_000 });
  const name = useAudienceName(chosen ?? "", data?.data);
  const audiences = data?.data ?? [];
  if (audiences.length === 0 && chosen === undefined) return null;
  if (data?.next != null) {
    return (
      <span className={css.audience}>
        <AudiencePicker
          label={words.audience}
          chosen={chosen === undefined ? undefined : { id: chosen, name }}
          onChoose={onChoose}
        />
      </span>
    );
  }
  const isListed = chosen === undefined || audiences.some(({ audienceId }) => audienceId === chosen);
  return (
    <Select
      name={words.audience}
      value={chosen ?? ""}
      isSet={chosen !== undefined}
      choices={[
        { value: "", label: kitWords.all },
        ...(isListed ? [] : [{ value: chosen, label: name }]),
        ...audiences.map(({ audienceId, name }) => ({ value: audienceId, label: name })),
      ]}
      onChange={(next) => onChoose(next || undefined)}
    />
  );
}
