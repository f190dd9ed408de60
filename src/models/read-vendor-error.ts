import { headOf } from "../base/text/cut-text.ts";

export interface VendorErrorInfo {
  readonly status: number | undefined;
  /** From the error class, which providers cannot set. */
  readonly names: readonly string[];
  readonly errorTypes: ReadonlySet<string>;
  /** The provider's message. */
  readonly providerMessage: string;
  /** For pattern matching. */
  readonly text: string;
  readonly request: string | undefined;
  readonly header: (name: string) => string | undefined;
}

const maxCauseDepth = 5;
const maxBodyLength = 20_000;

const readProperty = (value: unknown, key: string): unknown => {
  try {
    return value === undefined || value === null ? undefined : (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
};

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? headOf(value, maxBodyLength) : undefined;

/** Gemini embeds the JSON body in the message. */
const parseJson = (text: string | undefined): unknown => {
  const start = text?.indexOf("{") ?? -1;
  if (text === undefined || start < 0) return undefined;
  try {
    return JSON.parse(text.slice(start));
  } catch {
    return undefined;
  }
};

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

const errorsOf = (error: unknown): readonly unknown[] => {
  const errors: unknown[] = [];
  for (let at = error; isPresent(at) && errors.length < maxCauseDepth; at = readProperty(at, "cause"))
    errors.push(at);
  return errors;
};

/** The innermost object is last. */
const bodiesOf = (error: unknown): readonly unknown[] => {
  const text = parseJson(
    textOf(readProperty(error, "responseBody")) ?? textOf(readProperty(error, "message")),
  );
  const body = readProperty(error, "error");
  return [text, readProperty(text, "error"), body, readProperty(body, "error")].filter(isPresent);
};

const statusOf = (value: unknown): number | undefined =>
  ["status", "status_code", "statusCode", "code"]
    .map((key) => readProperty(value, key))
    .find((found): found is number => typeof found === "number" && found >= 100 && found < 600);

/** OpenAI's errors are all named "Error". */
const namesOf = (value: unknown): readonly string[] =>
  [readProperty(value, "name"), readProperty(readProperty(value, "constructor"), "name")].flatMap(
    (name) => textOf(name) ?? [],
  );

const wordsOf = (value: unknown): readonly string[] => [
  ...namesOf(value),
  ...["code", "type", "status"].flatMap((key) => textOf(readProperty(value, key)) ?? []),
];

const sentenceOf = (value: unknown): string | undefined =>
  textOf(value) ?? textOf(readProperty(value, "message"));

const headerOf = (headers: unknown, name: string): string | undefined => {
  try {
    if (headers instanceof Headers) return headers.get(name) ?? undefined;
    return textOf(Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1]);
  } catch {
    return undefined;
  }
};

export const readVendorError = (error: unknown): VendorErrorInfo => {
  const errors = errorsOf(error);
  const bodies = errors.flatMap(bodiesOf);
  const parts = [...errors, ...bodies];
  const sentences = parts.flatMap((part) => sentenceOf(part) ?? []);
  const headers = readProperty(error, "headers") ?? readProperty(error, "responseHeaders");
  const request = textOf(readProperty(error, "requestID"));
  return {
    status: parts.map(statusOf).find((status) => status !== undefined),
    names: namesOf(error),
    errorTypes: new Set(parts.flatMap(wordsOf)),
    providerMessage: bodies.flatMap((body) => sentenceOf(body) ?? []).at(-1) ?? sentences[0] ?? "",
    text: sentences.join("\n"),
    request: request !== undefined && /^[\w-]{1,100}$/.test(request) ? request : undefined,
    header: (name) => headerOf(headers, name),
  };
};
