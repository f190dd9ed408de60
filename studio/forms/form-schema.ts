/** The supported part of JSON Schema. */
export interface FormSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, FormSchema>>;
  readonly required?: readonly string[];
  readonly items?: FormSchema;
  readonly oneOf?: readonly FormSchema[];
  readonly anyOf?: readonly FormSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

export type FieldKind = "text" | "number" | "flag" | "choice" | "list" | "object" | "either" | "json";

/** Unsupported schemas are edited as JSON. */
export interface FieldShape {
  readonly kind: FieldKind;
  readonly schema: FormSchema;
  readonly isNullable: boolean;
  readonly choices: readonly FormSchema[];
}

export const toFieldShape = (given: FormSchema | undefined, root: FormSchema): FieldShape => {
  const schema = resolveRef(given ?? {}, root);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  const either = schema.oneOf ?? schema.anyOf ?? [];
  const isNullable = types.includes("null") || either.some(({ type }) => type === "null");
  const choices = either.filter(({ type }) => type !== "null");
  if (choices.length === 1)
    return { ...toFieldShape({ ...schema, ...choices[0], oneOf: [], anyOf: [] }, root), isNullable };
  return { kind: fieldKindOf(schema, types, choices), schema, isNullable, choices };
};

const fieldKindOf = (
  schema: FormSchema,
  types: readonly string[],
  choices: readonly FormSchema[],
): FieldKind => {
  if (schema.enum !== undefined || schema.const !== undefined) return "choice";
  if (choices.length > 1) return "either";
  const kinds = types.filter((type) => type !== "null");
  if (kinds.length > 1) return "json";
  switch (kinds[0]) {
    case "string":
      return "text";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "flag";
    case "array":
      return schema.items === undefined || typeof schema.items !== "object" ? "json" : "list";
    case "object":
      return schema.properties === undefined ? "json" : "object";
    default:
      return schema.properties === undefined ? "json" : "object";
  }
};

const resolveRef = (schema: FormSchema, root: FormSchema, depth = 0): FormSchema => {
  if (schema.$ref?.startsWith("#") !== true || depth > 8) return schema;
  const steps = schema.$ref.slice(2).split("/").filter(Boolean);
  const found = steps.reduce<unknown>(
    (value, step) =>
      (value as Record<string, unknown> | undefined)?.[step.replaceAll("~1", "/").replaceAll("~0", "~")],
    root,
  );
  return typeof found === "object" && found !== null ? resolveRef(found as FormSchema, root, depth + 1) : {};
};

export const isBlank = (value: unknown): boolean => typeof value === "string" && value.trim() === "";

export const allowsEmptyText = ({ minLength }: FormSchema): boolean => minLength === 0;

/** Missing required fields and list items. */
export const blankFields = (
  given: FormSchema | undefined,
  root: FormSchema,
  value: unknown,
  pointer = "",
): readonly string[] => {
  if (value === undefined) return [pointer];
  if (typeof value !== "object" || value === null) return [];
  const { kind, schema, choices } = toFieldShape(given, root);
  if (kind === "either") {
    // The chosen alternative is unknown, so it is enough if one of them is complete.
    const fitting = choices.filter((choice) => toFieldShape(choice, root).kind === kindOfValue(value));
    const blank = fitting.map((choice) => blankFields(choice, root, value, pointer));
    return blank.some(({ length }) => length === 0) ? [] : [...new Set(blank.flat())];
  }
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      kind === "list" ? blankFields(schema.items, root, item, childPointer(pointer, index)) : [],
    );
  if (kind !== "object") return [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const member = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    const isOptional = member === undefined && !(schema.required ?? []).includes(name);
    return isOptional ? [] : blankFields(child, root, member, childPointer(pointer, name));
  });
};

export const initialValue = (given: FormSchema | undefined, root: FormSchema, depth = 0): unknown => {
  const { kind, schema, choices } = toFieldShape(given, root);
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  switch (kind) {
    case "text":
      return allowsEmptyText(schema) ? "" : undefined;
    case "flag":
      return false;
    case "choice":
      return schema.enum?.[0];
    case "list":
      return [];
    case "either":
      return initialValue(choices[0], root, depth + 1);
    case "object":
      return depth > 4
        ? {}
        : Object.fromEntries(
            (schema.required ?? []).map((name) => [
              name,
              initialValue(schema.properties?.[name], root, depth + 1),
            ]),
          );
    default:
      return undefined;
  }
};

export const matchingChoiceIndex = (
  value: unknown,
  choices: readonly FormSchema[],
  root: FormSchema,
): number => {
  const found = choices.findIndex((choice) => {
    const { kind, schema } = toFieldShape(choice, root);
    if (kind === "choice") return (schema.enum ?? [schema.const]).includes(value);
    if (kind !== kindOfValue(value)) return kind === "json";
    return kind !== "object" || (schema.required ?? []).every((name) => Object.hasOwn(value as object, name));
  });
  return Math.max(0, found);
};

const kindOfValue = (value: unknown): FieldKind => {
  if (Array.isArray(value)) return "list";
  if (typeof value === "object" && value !== null) return "object";
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "flag" : "json";
};

export const childPointer = (pointer: string, name: string | number): string =>
  `${pointer}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
