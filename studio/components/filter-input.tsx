import { useEffect, useId, useState } from "react";
import { markUnseen } from "./invisible-characters.ts";

const debounceMs = 300;

export const FilterInput = ({
  label,
  value = "",
  placeholder = "",
  onChange,
  className = "w-40",
}: {
  readonly label: string;
  readonly value?: string | undefined;
  readonly placeholder?: string;
  readonly onChange: (value: string | undefined) => void;
  readonly className?: string;
}) => {
  const id = useId();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed.trim() === "" ? undefined : typed.trim()), debounceMs);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <span className="flex min-w-0 items-center gap-1.5 max-sm:grow">
      <label htmlFor={id} className="label">
        {markUnseen(label)}
      </label>
      <input
        id={id}
        className={`field max-sm:w-auto max-sm:grow ${className}`}
        value={typed}
        placeholder={markUnseen(placeholder)}
        onChange={({ target }) => setTyped(target.value)}
      />
    </span>
  );
};
