import { useId } from "react";
import { markUnseen } from "./invisible-characters.ts";

export const Select = ({
  label,
  value,
  choices,
  onChange,
  none = "Any",
  isDisabled = false,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly choices: readonly (string | readonly [string, string])[];
  readonly onChange: (value: string | undefined) => void;
  /** Null if a choice is required. */
  readonly none?: string | null;
  readonly isDisabled?: boolean;
}) => {
  const id = useId();
  return (
    <span className="flex min-w-0 items-center gap-1.5 max-sm:grow">
      <label htmlFor={id} className="label">
        {markUnseen(label)}
      </label>
      <select
        id={id}
        className="field w-auto min-w-0 max-w-56 max-sm:max-w-none max-sm:grow"
        value={value ?? ""}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
      >
        {none !== null && <option value="">{markUnseen(none)}</option>}
        {choices.map((choice) => {
          const [key, name] = typeof choice === "string" ? [choice, choice] : choice;
          return (
            <option key={key} value={key}>
              {markUnseen(name, 100)}
            </option>
          );
        })}
      </select>
    </span>
  );
};
