import type { ValidationIssue } from "@api/shared.ts";
import { type ComponentType, useEffect, useId, useRef, useState } from "react";
import { markUnseen, splitInvisible } from "../components/invisible-characters.ts";
import type { FieldShape, FormSchema } from "./form-schema.ts";

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
  const lastReported = useRef(value);
  const [typed, setTyped] = useState(() => JSON.stringify(value, null, 2) ?? "");
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    // The typed formatting stays if the value is the last one reported.
    if (lastReported.current === value) return;
    lastReported.current = value;
    setTyped(JSON.stringify(value, null, 2) ?? "");
  }, [value]);
  const change = (text: string): void => {
    setTyped(text);
    try {
      lastReported.current = text.trim() === "" ? undefined : JSON.parse(text);
      setProblem(undefined);
      onChange(lastReported.current);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div>
      <textarea
        aria-label={markUnseen(label)}
        aria-invalid={isInvalid || problem !== undefined}
        aria-describedby={problem === undefined ? undefined : id}
        className="field code"
        rows={rows}
        spellCheck={false}
        value={typed}
        onChange={({ target }) => change(target.value)}
      />
      <InvisibleCharactersNote text={typed} />
      {problem !== undefined && (
        <p id={id} className="mt-1 text-xs text-bad">
          Invalid JSON: {markUnseen(problem)}
        </p>
      )}
    </div>
  );
};

const maxNamesShown = 8;

/** Browsers do not show these characters. */
export const InvisibleCharactersNote = ({ text }: { readonly text: string }) => {
  const names = [...new Set(splitInvisible(text).flatMap(({ name }) => name ?? []))];
  if (names.length === 0) return null;
  return (
    <p role="status" className="text-xs text-bad">
      This text contains invisible characters:{" "}
      {names.slice(0, maxNamesShown).map((name) => (
        <span key={name} className="unseen">
          {markUnseen(name)}
        </span>
      ))}
      {names.length > maxNamesShown && " and more"}. Type the text again to remove them.
    </p>
  );
};

export interface FieldProps {
  readonly name?: string;
  readonly schema: FormSchema | undefined;
  readonly root: FormSchema;
  readonly pointer: string;
  readonly value: unknown;
  /** `undefined` omits the value. */
  readonly onChange: (value: unknown) => void;
  readonly findings: readonly ValidationIssue[];
  readonly isRequired?: boolean;
}

export interface InputProps extends FieldProps {
  readonly shape: FieldShape;
  readonly id: string;
  readonly isInvalid: boolean;
  readonly describedBy: string | undefined;
  readonly Field: ComponentType<FieldProps>;
}
