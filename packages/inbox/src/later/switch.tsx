// A row with a switch.
type SwitchProps = { label: string; isOn: boolean; isFixed?: boolean; onChange: (isOn: boolean) => void };

export function Switch({ label, isOn, isFixed, onChange }: SwitchProps) {
  return (
    <label class="row">
      <span>{label}</span>
      <input
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox has its state
        role="switch"
        checked={isOn}
        disabled={isFixed}
        onChange={({ currentTarget }) => {
          const isWanted = currentTarget.checked;
          // The drawn state decides: a refused change draws nothing new.
          currentTarget.checked = isOn;
          onChange(isWanted);
        }}
      />
    </label>
  );
}
