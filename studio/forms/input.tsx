import { type ReactNode, useState } from "react";
import { markUnseen } from "../components/unseen.ts";
import type { InputProps } from "./field-props.ts";
import { EitherInput, ListInput, ObjectInput } from "./group-input.tsx";
import { JsonField } from "./json-field.tsx";
import { UnseenNote } from "./unseen-note.tsx";

/** What is typed into or chosen from, by the kind of the value. */
export const Input = (props: InputProps): ReactNode => {
  const { name = "Arguments", value, onChange, isInvalid } = props;
  switch (props.shape.kind) {
    case "text":
      return <TextInput {...props} />;
    case "number":
      return <NumberInput {...props} />;
    case "flag":
      return <FlagInput {...props} />;
    case "choice":
      return <ChoiceInput {...props} />;
    case "list":
      return <ListInput {...props} />;
    case "object":
      return <ObjectInput {...props} />;
    case "either":
      return <EitherInput {...props} />;
    default:
      return <JsonField label={`${name} as JSON`} value={value} onChange={onChange} isInvalid={isInvalid} />;
  }
};

const marksOf = ({ id, isInvalid, describedBy }: InputProps) => ({
  id,
  "aria-invalid": isInvalid,
  "aria-describedby": describedBy,
});

const TextInput = (props: InputProps) => {
  const { value } = props;
  const text = typeof value === "string" ? value : "";
  return (
    <>
      <TypedText {...props} text={text} />
      <UnseenNote text={text} />
    </>
  );
};

const TypedText = ({ text, ...props }: InputProps & { readonly text: string }) => {
  const { value, onChange, shape, isRequired = false } = props;
  return text.length > 60 || text.includes("\n") || (shape.schema.maxLength ?? 0) > 200 ? (
    <textarea
      {...marksOf(props)}
      className="field"
      rows={4}
      value={text}
      onChange={({ target }) => onChange(target.value)}
    />
  ) : (
    <input
      {...marksOf(props)}
      className="field"
      value={text}
      placeholder={value === undefined && !isRequired ? "left out" : ""}
      onChange={({ target }) => onChange(target.value)}
    />
  );
};

/** What is typed stays while it is no number yet, as "-" or "1e". */
const NumberInput = (props: InputProps) => {
  const { value, onChange, isRequired = false } = props;
  const [typed, setTyped] = useState(value === undefined || value === null ? "" : String(value));
  const shown = typeof value === "number" && Number(typed) !== value ? String(value) : typed;
  return (
    <input
      {...marksOf(props)}
      className="field"
      inputMode="decimal"
      value={shown}
      placeholder={value === undefined && !isRequired ? "left out" : ""}
      onChange={({ target }) => {
        setTyped(target.value);
        const number = Number(target.value);
        if (target.value.trim() === "") onChange(undefined);
        else onChange(Number.isNaN(number) ? target.value : number);
      }}
    />
  );
};

const FlagInput = (props: InputProps) => {
  const { value, onChange, isRequired = false } = props;
  return (
    <span className="flex h-7 items-center gap-2 text-soft">
      <input
        {...marksOf(props)}
        type="checkbox"
        className="size-4 accent-accent"
        checked={value === true}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span aria-hidden>
        {value === true ? "yes" : value === false ? "no" : isRequired ? "" : "left out"}
      </span>
    </span>
  );
};

const ChoiceInput = (props: InputProps) => {
  const { value, onChange, shape, isRequired = false } = props;
  const choices = shape.schema.enum ?? [shape.schema.const];
  const at = choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(value));
  return (
    <select
      {...marksOf(props)}
      className="field"
      value={at}
      onChange={({ target }) => onChange(choices[Number(target.value)])}
    >
      <option value={-1}>{isRequired ? "choose" : "left out"}</option>
      {choices.map((choice, index) => (
        <option key={JSON.stringify(choice)} value={index}>
          {markUnseen(wordsOf(choice))}
        </option>
      ))}
    </select>
  );
};

const wordsOf = (choice: unknown): string =>
  typeof choice === "string" ? choice : (JSON.stringify(choice) ?? "");
