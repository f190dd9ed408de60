import { useEffect, useId, useState } from "react";

const pauseMs = 300;

/** A filter that is typed. It is told once the typing rests. */
export const FilterInput = ({
  label,
  value = "",
  placeholder,
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
    const timer = setTimeout(() => onChange(typed.trim() === "" ? undefined : typed.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <span className="flex items-center gap-1.5">
      <label htmlFor={id} className="label">
        {label}
      </label>
      <input
        id={id}
        className={`field ${className}`}
        value={typed}
        placeholder={placeholder}
        onChange={({ target }) => setTyped(target.value)}
      />
    </span>
  );
};
