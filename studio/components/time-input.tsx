import { useId } from "react";
import { markUnseen } from "./invisible-characters.ts";

/** In the browser's time zone. */
export const TimeInput = ({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: number | undefined;
  readonly onChange: (at: number | undefined) => void;
}) => {
  const id = useId();
  return (
    <span className="flex min-w-0 items-center gap-1.5 max-sm:grow">
      <label htmlFor={id} className="label">
        {markUnseen(label)}
      </label>
      <input
        id={id}
        type="datetime-local"
        step={1}
        className="field w-auto max-sm:grow"
        value={value === undefined ? "" : toLocalDateTime(value)}
        onChange={({ target }) => {
          const at = Date.parse(target.value);
          onChange(Number.isNaN(at) ? undefined : at);
        }}
      />
    </span>
  );
};

export const toLocalDateTime = (at: number): string => {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day}T${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
};
