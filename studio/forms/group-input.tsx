import { useState } from "react";
import { Plus, Trash2 } from "../components/icons.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import type { InputProps } from "./field-props.ts";
import { childPointer, initialValue, matchingChoiceIndex, toFieldShape } from "./form-schema.ts";

export const ListInput = ({
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

export const ObjectInput = ({
  root,
  pointer,
  value,
  onChange,
  findings,
  shape: { schema },
  Field,
}: InputProps) => {
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
export const OneOfInput = ({
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
