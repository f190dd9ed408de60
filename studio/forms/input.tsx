import { type ReactNode, useState } from "react";
import { Plus, Trash2 } from "../components/icons.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import {
  allowsEmptyText,
  childPointer,
  initialValue,
  isBlank,
  matchingChoiceIndex,
  toFieldShape,
} from "./form-schema.ts";
import { type InputProps, InvisibleCharactersNote, JsonField } from "./json-field.tsx";

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

const ListInput = ({
  name = "Arguments",
  root,
  pointer,
  value,
  onChange,
  findings,
  shape: { schema },
  Field,
}: InputProps) => {
  const list = Array.isArray(value) ? value : [];
  return (
    <div className="flex flex-col gap-2">
      {list.map((item: unknown, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no other name
        <div key={index} className="flex items-end gap-2">
          <div className="min-w-0 grow">
            <Field
              name={`${index + 1}`}
              schema={schema.items}
              root={root}
              pointer={childPointer(pointer, index)}
              value={item}
              isRequired
              onChange={(changed) => onChange(list.with(index, changed))}
              findings={findings}
            />
          </div>
          <button
            type="button"
            className="button px-2"
            aria-label={`Remove item ${index + 1} of ${markUnseen(name)}`}
            onClick={() => onChange(list.toSpliced(index, 1))}
          >
            <Trash2 size={14} />
          </button>
        </div>
      ))}
      <button
        type="button"
        className="button self-start"
        onClick={() => onChange([...list, initialValue(schema.items, root)])}
      >
        <Plus size={14} />
        Add<span className="sr-only"> to {markUnseen(name)}</span>
      </button>
    </div>
  );
};

const ObjectInput = ({ root, pointer, value, onChange, findings, shape: { schema }, Field }: InputProps) => {
  const object = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return <p className="text-soft">This tool has no arguments.</p>;
  return (
    <div className="flex flex-col gap-3">
      {properties.map(([key, child]) => (
        <Field
          key={key}
          name={key}
          schema={child}
          root={root}
          pointer={childPointer(pointer, key)}
          value={Object.hasOwn(object, key) ? object[key] : undefined}
          isRequired={schema.required?.includes(key) ?? false}
          findings={findings}
          onChange={(changed) => onChange(withField(object, key, changed))}
        />
      ))}
    </div>
  );
};

/** Initially the first schema that matches the value. */
const OneOfInput = ({
  name = "Arguments",
  shape,
  root,
  pointer,
  value,
  onChange,
  findings,
  isRequired = false,
  Field,
}: InputProps) => {
  const [chosen, setChosen] = useState(() =>
    value === undefined && !isRequired ? -1 : matchingChoiceIndex(value, shape.choices, root),
  );
  const choose = (index: number): void => {
    setChosen(index);
    onChange(index === -1 ? undefined : initialValue(shape.choices[index], root));
  };
  return (
    <div className="flex flex-col gap-2">
      <select
        aria-label={`Type of ${markUnseen(name)}`}
        className="field"
        value={chosen}
        onChange={({ target }) => choose(Number(target.value))}
      >
        {!isRequired && <option value={-1}>Not set</option>}
        {shape.choices.map((choice, index) => {
          const { schema, kind } = toFieldShape(choice, root);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two choices may have one name
            <option key={index} value={index}>
              {markUnseen(schema.title ?? schema.description ?? `${index + 1}: ${kind}`)}
            </option>
          );
        })}
      </select>
      {chosen !== -1 && (
        <Field
          schema={shape.choices[chosen]}
          root={root}
          pointer={pointer}
          value={value}
          onChange={onChange}
          findings={findings}
          isRequired={isRequired}
        />
      )}
    </div>
  );
};

const withField = (object: Record<string, unknown>, key: string, value: unknown): object => {
  const entries = Object.entries({ ...object, [key]: value }).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries);
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
