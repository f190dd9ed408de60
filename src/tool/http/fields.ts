/** Named parts of a request: constants, and functions of the validated input. */
export type Fields<In> = Readonly<Record<string, FieldValue | ((input: In) => unknown)>>;

export type FieldValue = string | number | boolean | null | undefined;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const resolveFields = <In>(fields: Fields<In>, input: In): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "function" ? value(input) : value]),
  );

/** What the path did not take. */
export const without = (input: unknown, names: ReadonlySet<string>): unknown =>
  isRecord(input) && names.size > 0
    ? Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name)))
    : input;
