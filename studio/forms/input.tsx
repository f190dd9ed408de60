import { type ReactNode, useState } from "react";
import { markUnseen } from "../components/invisible-characters.ts";
import type { InputProps } from "./field-props.ts";
import { allowsEmptyText, isBlank } from "./form-schema.ts";
import { ListInput, ObjectInput, OneOfInput } from "./group-input.tsx";
import { InvisibleCharactersNote } from "./invisible-characters-note.tsx";
import { JsonField } from "./json-field.tsx";

export const Input = (props: InputProps): ReactNode => {
  const { name = "Arguments", value, onChange, isInvalid } = props;
  switch (props.shape.kind) {
    case "text":
      return <TextInput {...props} />;
    case "number":
      return <NumberInput {...props} />;
    case "flag":
      return <CheckboxInput {...props} />;
    case "choice":
      return <ChoiceInput {...props} />;
    case "list":
      return <ListInput {...props} />;
    case "object":
      return <ObjectInput {...props} />;
    case "either":
      return <OneOfInput {...props} />;
    default:
      return <JsonField label={`${name} as JSON`} value={value} onChange={onChange} isInvalid={isInvalid} />;
  }
};

const inputAttributes = ({ id, isInvalid, describedBy }: InputProps) => ({
  id,
  "aria-invalid": isInvalid,
  "aria-describedby": describedBy,
});

const TextInput = (props: InputProps) => {
  const { value } = props;
  const text = typeof value === "string" ? value : "";
  return (
    <>
      <TextBox {...props} text={text} />
      <InvisibleCharactersNote text={text} />
    </>
  );
};

const TextBox = ({ text, ...props }: InputProps & { readonly text: string }) => {
  const { value, onChange, shape, isRequired = false } = props;
  const change = (typed: string): void =>
    onChange(isBlank(typed) && !allowsEmptyText(shape.schema) ? undefined : typed);
  return text.length > 60 || text.includes("\n") || (shape.schema.maxLength ?? 0) > 200 ? (
    <textarea
      {...inputAttributes(props)}
      className="field"
      rows={4}
      value={text}
      onChange={({ target }) => change(target.value)}
    />
  ) : (
    <input
      {...inputAttributes(props)}
      className="field"
      value={text}
      placeholder={value === undefined && !isRequired ? "Not set" : ""}
      onChange={({ target }) => change(target.value)}
    />
  );
};

/** Keeps incomplete input such as "-" or "1e" as typed. */
const NumberInput = (props: InputProps) => {
  const { value, onChange, isRequired = false } = props;
  const [typed, setTyped] = useState(value === undefined || value === null ? "" : String(value));
  const shown = typeof value === "number" && Number(typed) !== value ? String(value) : typed;
  return (
    <input
      {...inputAttributes(props)}
      className="field"
      inputMode="decimal"
      value={shown}
      placeholder={value === undefined && !isRequired ? "Not set" : ""}
      onChange={({ target }) => {
        setTyped(target.value);
        const number = Number(target.value);
        if (target.value.trim() === "") onChange(undefined);
        else onChange(Number.isNaN(number) ? target.value : number);
      }}
    />
  );
};

const CheckboxInput = (props: InputProps) => {
  const { value, onChange, isRequired = false } = props;
  return (
    <span className="flex h-7 items-center gap-2 text-soft">
      <input
        {...inputAttributes(props)}
        type="checkbox"
        className="size-4 accent-accent"
        checked={value === true}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span aria-hidden>{value === true ? "yes" : value === false ? "no" : isRequired ? "" : "Not set"}</span>
    </span>
  );
};

const ChoiceInput = (props: InputProps) => {
  const { value, onChange, shape, isRequired = false } = props;
  const choices = shape.schema.enum ?? [shape.schema.const];
  const at = choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(value));
  return (
    <select
      {...inputAttributes(props)}
      className="field"
      value={at}
      onChange={({ target }) => onChange(choices[Number(target.value)])}
    >
      <option value={-1}>{isRequired ? "Choose…" : "Not set"}</option>
      {choices.map((choice, index) => (
        <option key={JSON.stringify(choice)} value={index}>
          {markUnseen(choiceText(choice))}
        </option>
      ))}
    </select>
  );
};

const choiceText = (choice: unknown): string =>
  typeof choice === "string" ? choice : (JSON.stringify(choice) ?? "");
