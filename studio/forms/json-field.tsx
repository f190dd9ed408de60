import { useEffect, useId, useRef, useState } from "react";
import { markUnseen } from "../components/invisible-characters.ts";
import { InvisibleCharactersNote } from "./invisible-characters-note.tsx";

/** Reports changes only while the text is valid. */
export const JsonField = ({
  label,
  value,
  onChange,
  rows = 3,
  isInvalid = false,
}: {
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly rows?: number;
  readonly isInvalid?: boolean;
}) => {
  const id = useId();
  const told = useRef(value);
  const [typed, setTyped] = useState(() => JSON.stringify(value, null, 2) ?? "");
  const [trouble, setTrouble] = useState<string>();
  useEffect(() => {
    // Keeps the typed formatting.
    if (told.current === value) return;
    told.current = value;
    setTyped(JSON.stringify(value, null, 2) ?? "");
  }, [value]);
  const change = (text: string): void => {
    setTyped(text);
    try {
      told.current = text.trim() === "" ? undefined : JSON.parse(text);
      setTrouble(undefined);
      onChange(told.current);
    } catch (error) {
      setTrouble(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div>
      <textarea
        aria-label={markUnseen(label)}
        aria-invalid={isInvalid || trouble !== undefined}
        aria-describedby={trouble === undefined ? undefined : id}
        className="field code"
        rows={rows}
        spellCheck={false}
        value={typed}
        onChange={({ target }) => change(target.value)}
      />
      <InvisibleCharactersNote text={typed} />
      {trouble !== undefined && (
        <p id={id} className="mt-1 text-xs text-bad">
          This is not JSON yet: {markUnseen(trouble)}
        </p>
      )}
    </div>
  );
};
