import type { ValidationIssue } from "@api/shared.ts";
import * as Tabs from "@radix-ui/react-tabs";
import { useQuery } from "@tanstack/react-query";
import { use, useEffect, useId, useState } from "react";
import { api } from "../api/api.ts";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import {
  allowsEmptyText,
  blankFields,
  type FieldShape,
  type FormSchema,
  initialValue,
  isBlank,
  toFieldShape,
} from "./form-schema.ts";
import { Input } from "./input.tsx";
import { type FieldProps, JsonField } from "./json-field.tsx";
import { MaskedValuesContext, valueAt } from "./masked-values.ts";

const Field = (props: FieldProps) => {
  const { name, schema, root, pointer, value, onChange, findings, isRequired = false } = props;
  const id = useId();
  const mask = use(MaskedValuesContext).get(pointer);
  const shape = toFieldShape(schema, root);
  const own = findings.filter((finding) => finding.pointer === pointer && pointer !== "");
  const { description } = shape.schema;
  const isNull = value === null && shape.isNullable && shape.kind !== "choice";
  const isMasked = mask !== undefined && value === mask;
  // An input cannot distinguish a missing value from a blank text.
  const isBlankText = shape.kind === "text" && isBlank(value) && !allowsEmptyText(shape.schema);
  const isTyped = !isNull && !isMasked && !isBlankText;
  const isGroup = isTyped && ["object", "list", "either"].includes(shape.kind);
  const title = markUnseen(shape.schema.title ?? name ?? "Arguments");
  const body = isMasked ? (
    <FixedValue text="Secret, unchanged" action="Replace" of={title} onAct={() => onChange(undefined)} />
  ) : isBlankText ? (
    <FixedValue
      text={value === "" ? "Empty text" : "Only whitespace"}
      action="Enter a value"
      of={title}
      onAct={() => onChange(undefined)}
    />
  ) : isNull ? (
    <FixedValue
      text="null"
      action="Enter a value"
      of={title}
      onAct={() => onChange(initialValue({ ...shape.schema, default: undefined }, root) ?? undefined)}
    />
  ) : (
    <Input
      {...props}
      Field={Field}
      shape={shape}
      id={id}
      isInvalid={own.length > 0}
      describedBy={own.length > 0 ? `${id}-wrong` : undefined}
    />
  );
  const above = name !== undefined && (
    <>
      <span className="min-w-0 font-medium">
        <ForeignText text={shape.schema.title ?? name} isInline />
        {isRequired && (
          <span className="text-bad" title="required">
            {" "}
            *<span className="sr-only">required</span>
          </span>
        )}
      </span>
      <span className="text-xs text-soft">{markUnseen(fieldHint(shape))}</span>
    </>
  );
  const actions = name !== undefined && (
    <span className="ml-auto flex shrink-0 gap-3">
      {mask !== undefined && !isMasked && (
        <FieldAction action="Keep secret" of={title} onAct={() => onChange(mask)} />
      )}
      {own.length > 0 && shape.kind === "text" && value === undefined && !shape.schema.minLength && (
        <FieldAction action="Send empty text" of={title} onAct={() => onChange("")} />
      )}
      {isTyped && shape.isNullable && shape.kind !== "choice" && (
        <FieldAction action="Set to null" of={title} onAct={() => onChange(null)} />
      )}
      {!isRequired && value !== undefined && (
        <FieldAction action="Clear" of={title} onAct={() => onChange(undefined)} />
      )}
    </span>
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
      <fieldset className={name === undefined ? "min-w-0" : "min-w-0 rounded-md border border-line p-3"}>
        {name !== undefined && <legend className="sr-only">{markUnseen(title)}</legend>}
        {name !== undefined && (
          <div className="mb-2 flex min-h-7 items-center gap-2">
            {above}
            {actions}
          </div>
        )}
        {body}
        {below}
      </fieldset>
    );
  }
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex min-h-7 items-center gap-2">
        {isTyped ? (
          <label htmlFor={id} className="contents">
            {above}
          </label>
        ) : (
          above
        )}
        {actions}
      </div>
      {body}
      {below}
    </div>
  );
};

const FieldAction = ({
  action,
  of,
  onAct,
}: {
  readonly action: string;
  readonly of: string;
  readonly onAct: () => void;
}) => (
  <button type="button" className="link-button" onClick={onAct}>
    {markUnseen(action)}
    <span className="sr-only">: {markUnseen(of)}</span>
  </button>
);

const FixedValue = ({
  text,
  action,
  of,
  onAct,
}: {
  readonly text: string;
  readonly action: string;
  readonly of: string;
  readonly onAct: () => void;
}) => (
  <div className="flex h-8 items-center rounded-md border border-dashed border-edge bg-sunken px-2">
    <span className="min-w-0 grow truncate text-soft">{markUnseen(text)}</span>
    <FieldAction action={action} of={of} onAct={onAct} />
  </div>
);

const kindTexts: Readonly<Record<FieldShape["kind"], string>> = {
  text: "text",
  number: "number",
  flag: "true or false",
  choice: "choice",
  list: "list",
  object: "",
  either: "one of several types",
  json: "JSON",
};

const fieldHint = ({ kind, schema, isNullable }: FieldShape): string => {
  const isWhole = kind === "number" && [schema.type].flat().includes("integer");
  return [isWhole ? "integer" : kindTexts[kind], rangeText(schema), schema.format, isNullable && "or null"]
    .filter(Boolean)
    .join(", ");
};

const rangeText = ({ minimum, maximum }: FieldShape["schema"]): string => {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `at least ${minimum}`;
  return maximum === undefined ? "" : `at most ${maximum}`;
};

/** The API validates; the page compiles no schemas. */
export const SchemaForm = ({
  schema,
  value,
  onChange,
  findings,
}: {
  readonly schema: unknown;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly findings: readonly ValidationIssue[];
}) => {
  const root = (typeof schema === "object" && schema !== null ? schema : {}) as FormSchema;
  const whole = findings.filter(({ pointer }) => pointer === "");
  const tab =
    "h-8 px-2 text-xs font-medium text-soft border-b-2 border-transparent data-[state=active]:border-accent data-[state=active]:text-accent";
  return (
    <Tabs.Root defaultValue="form">
      <Tabs.List aria-label="Input format" className="mb-3 flex gap-2 border-b border-line">
        <Tabs.Trigger value="form" className={tab}>
          Form
        </Tabs.Trigger>
        <Tabs.Trigger value="json" className={tab}>
          JSON
        </Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content value="form">
        <Field
          schema={root}
          root={root}
          pointer=""
          value={value}
          onChange={onChange}
          findings={findings}
          isRequired
        />
      </Tabs.Content>
      <Tabs.Content value="json">
        <JsonField
          label="Arguments as JSON"
          value={value}
          onChange={onChange}
          rows={12}
          isInvalid={findings.length > 0}
        />
        <ul className="mt-1 text-xs text-bad">
          {findings.map(({ pointer, message }) => (
            <li key={`${pointer} ${message}`}>
              <ForeignText text={`${pointer} ${message}`} />
            </li>
          ))}
        </ul>
      </Tabs.Content>
      {whole.map(({ message }) => (
        <p key={message} className="mt-2 text-xs text-bad">
          <ForeignText text={message} />
        </p>
      ))}
    </Tabs.Root>
  );
};

/** Problems that the page reports before it sends anything. */
export const requiredFindings = (schema: unknown, value: unknown): readonly ValidationIssue[] => {
  const root = (schema ?? {}) as FormSchema;
  return blankFields(root, root, value ?? {}).map((pointer) => ({
    pointer,
    message: "This field is required.",
  }));
};

/** Leaves out the problems that the page reports itself. */
export const otherFindings = (
  found: readonly ValidationIssue[],
  all: readonly ValidationIssue[] | undefined,
): readonly ValidationIssue[] =>
  (all ?? []).filter(({ pointer }) => !found.some((each) => each.pointer === pointer));

export const useValidation = (tool: string, value: unknown, isOn = true) => {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), 300);
    return () => clearTimeout(timer);
  }, [value]);
  const { data } = useQuery({
    queryKey: ["validate", tool, settled],
    queryFn: async () => ({
      ...(await api.validate(tool, settled === undefined ? {} : settled)),
      of: settled,
    }),
    enabled: isOn,
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
  });
  // Leaves out fields that were filled in since the validation.
  const findings = (data?.issues ?? []).filter(
    ({ pointer }) => valueAt(data?.of, pointer) !== undefined || valueAt(value, pointer) === undefined,
  );
  return { data, findings };
};
