import type { Finding } from "@words/shared.ts";
import { Plus, Trash2 } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { ForeignText } from "../components/foreign-text.tsx";
import { JsonField } from "./json-field.tsx";
import { childPointer, type FieldShape, type FormSchema, firstValue, toShape } from "./schema.ts";

interface FieldProps {
  readonly name?: string;
  readonly schema: FormSchema | undefined;
  readonly root: FormSchema;
  readonly pointer: string;
  readonly value: unknown;
  /** With `undefined` it is left out. */
  readonly onChange: (value: unknown) => void;
  readonly findings: readonly Finding[];
  readonly isRequired?: boolean;
}

/** One value of a form, with the values below it. */
export const Field = (props: FieldProps) => {
  const { name, schema, root, pointer, value, onChange, findings, isRequired = false } = props;
  const id = useId();
  const shape = toShape(schema, root);
  const own = findings.filter((finding) => finding.pointer === pointer && pointer !== "");
  const { description, format } = shape.schema;
  const isGroup = shape.kind === "object" || shape.kind === "list" || shape.kind === "either";
  const hint = [typeWords(shape), format, shape.isNullable && "may be null"].filter(Boolean).join(", ");
  const describedBy = own.length > 0 ? `${id}-wrong` : undefined;
  const body = (
    <Input {...props} shape={shape} id={id} isInvalid={own.length > 0} describedBy={describedBy} />
  );
  const above = name !== undefined && (
    <>
      <span className="font-medium">
        <ForeignText text={shape.schema.title ?? name} isInline />
        {isRequired && (
          <span className="text-bad" title="required">
            {" "}
            *<span className="sr-only">required</span>
          </span>
        )}
      </span>
      <span className="text-xs text-soft">{hint}</span>
      {!isRequired && value !== undefined && (
        <button type="button" className="link ml-auto text-xs" onClick={() => onChange(undefined)}>
          Leave out<span className="sr-only"> {name}</span>
        </button>
      )}
    </>
  );
  const below = (
    <>
      {description !== undefined && name !== undefined && (
        <ForeignText text={description} className="text-xs text-soft" />
      )}
      {own.length > 0 && (
        <ul id={`${id}-wrong`} className="text-xs text-bad">
          {own.map(({ message }) => (
            <li key={message}>
              <ForeignText text={message} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
  if (isGroup) {
    return (
      <fieldset className={name === undefined ? "" : "rounded-md border border-line p-3"}>
        {name !== undefined && <legend className="sr-only">{name}</legend>}
        {name !== undefined && <div className="mb-2 flex items-baseline gap-2">{above}</div>}
        {body}
        {below}
      </fieldset>
    );
  }
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-baseline gap-2">
        <label htmlFor={id} className="contents">
          {above}
        </label>
      </div>
      {body}
      {below}
    </div>
  );
};

interface InputProps extends FieldProps {
  readonly shape: FieldShape;
  readonly id: string;
  readonly isInvalid: boolean;
  readonly describedBy: string | undefined;
}

const Input = (props: InputProps): ReactNode => {
  const {
    name = "Arguments",
    root,
    pointer,
    value,
    onChange,
    findings,
    shape,
    id,
    isInvalid,
    describedBy,
    isRequired = false,
  } = props;
  const { schema } = shape;
  const marks = { id, "aria-invalid": isInvalid, "aria-describedby": describedBy };
  switch (shape.kind) {
    case "text": {
      const text = typeof value === "string" ? value : "";
      const change = (typed: string): void => onChange(typed);
      return text.length > 60 || text.includes("\n") || (schema.maxLength ?? 0) > 200 ? (
        <textarea
          {...marks}
          className="field"
          rows={4}
          value={text}
          onChange={({ target }) => change(target.value)}
        />
      ) : (
        <input
          {...marks}
          className="field"
          value={text}
          placeholder={value === undefined && !isRequired ? "left out" : value === null ? "null" : ""}
          onChange={({ target }) => change(target.value)}
        />
      );
    }
    case "number":
      return <NumberInput {...props} marks={marks} />;
    case "flag":
      return (
        <input
          {...marks}
          type="checkbox"
          className="size-4 accent-accent"
          checked={value === true}
          onChange={({ target }) => onChange(target.checked)}
        />
      );
    case "choice": {
      const choices = schema.enum ?? [schema.const];
      const at = choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(value));
      return (
        <select
          {...marks}
          className="field"
          value={at}
          onChange={({ target }) => onChange(choices[Number(target.value)])}
        >
          <option value={-1}>{value === undefined && !isRequired ? "left out" : "choose"}</option>
          {choices.map((choice, index) => (
            <option key={JSON.stringify(choice)} value={index}>
              {typeof choice === "string" ? choice : JSON.stringify(choice)}
            </option>
          ))}
        </select>
      );
    }
    case "list": {
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
                aria-label={`Remove item ${index + 1} of ${name}`}
                onClick={() => onChange(list.toSpliced(index, 1))}
              >
                <Trash2 size={14} aria-hidden />
              </button>
            </div>
          ))}
          <button
            type="button"
            className="button self-start"
            onClick={() => onChange([...list, firstValue(schema.items, root)])}
          >
            <Plus size={14} aria-hidden />
            Add<span className="sr-only"> to {name}</span>
          </button>
        </div>
      );
    }
    case "object": {
      const object = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
      const properties = Object.entries(schema.properties ?? {});
      if (properties.length === 0) return <p className="text-soft">It takes no arguments.</p>;
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
    }
    case "either":
      return <Either {...props} />;
    default:
      return <JsonField label={`${name} as JSON`} value={value} onChange={onChange} isInvalid={isInvalid} />;
  }
};

/** What is typed stays while it is no number yet, as "-" or "1e". */
const NumberInput = ({
  value,
  onChange,
  shape,
  marks,
  isRequired = false,
}: InputProps & { readonly marks: object }) => {
  const [typed, setTyped] = useState(value === undefined || value === null ? "" : String(value));
  const shown = typeof value === "number" && Number(typed) !== value ? String(value) : typed;
  return (
    <input
      {...marks}
      className="field"
      inputMode="decimal"
      min={shape.schema.minimum}
      max={shape.schema.maximum}
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

/** One of several schemas, by choice. */
const Either = ({ name = "Arguments", shape, root, pointer, value, onChange, findings }: InputProps) => {
  const [at, setAt] = useState(0);
  const choose = (index: number): void => {
    setAt(index);
    onChange(firstValue(shape.choices[index], root));
  };
  return (
    <div className="flex flex-col gap-2">
      <select
        aria-label={`Which kind of ${name}`}
        className="field"
        value={at}
        onChange={({ target }) => choose(Number(target.value))}
      >
        {shape.choices.map((choice, index) => {
          const { schema, kind } = toShape(choice, root);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two choices may have one name
            <option key={index} value={index}>
              {schema.title ?? schema.description ?? `${index + 1}: ${kind}`}
            </option>
          );
        })}
      </select>
      <Field
        schema={shape.choices[at]}
        root={root}
        pointer={pointer}
        value={value}
        onChange={onChange}
        findings={findings}
        isRequired
      />
    </div>
  );
};

const withField = (object: Record<string, unknown>, key: string, value: unknown): object => {
  const entries = Object.entries({ ...object, [key]: value }).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries);
};

const typeWords = ({ kind, schema }: FieldShape): string =>
  kind === "number"
    ? [schema.type].flat().includes("integer")
      ? "whole number"
      : "number"
    : kind === "flag"
      ? "yes or no"
      : kind === "json"
        ? "JSON"
        : kind;
