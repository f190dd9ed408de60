import { useId } from "react";

/** The browser's own list of choices. The first choice is none. */
export const Select = ({
  label,
  value,
  choices,
  onChange,
  none = "Any",
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly choices: readonly (string | readonly [string, string])[];
  readonly onChange: (value: string | undefined) => void;
  /** What no choice is called; null where there must be one. */
  readonly none?: string | null;
}) => {
  const id = useId();
  return (
    <span className="flex items-center gap-1.5">
      <label htmlFor={id} className="label">
        {label}
      </label>
      <select
        id={id}
        className="field w-auto max-w-56"
        value={value ?? ""}
        onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
      >
        {none !== null && <option value="">{none}</option>}
        {choices.map((choice) => {
          const [key, name] = typeof choice === "string" ? [choice, choice] : choice;
          return (
            <option key={key} value={key}>
              {name}
            </option>
          );
        })}
      </select>
    </span>
  );
};
