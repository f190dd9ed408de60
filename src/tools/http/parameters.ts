import { headerProblem } from "../../base/http/headers.ts";
import type { ToolExecutionError } from "../../types/errors.ts";
import type { ResolvedParameter } from "./resolve-parameter.ts";
import { encodeStrictly, toPairs, toStyledText } from "./styles.ts";
import { unsendableInputError } from "./unsendable-input-error.ts";

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

const parameterValue = (
  { from, json }: ResolvedParameter,
  input: Readonly<Record<string, unknown>>,
): unknown => {
  const value = Object.hasOwn(input, from) ? input[from] : undefined;
  return json && isPresent(value) ? JSON.stringify(value) : value;
};

export const parameterPairs = (
  parameters: readonly ResolvedParameter[],
  place: "query" | "cookie",
  input: Readonly<Record<string, unknown>>,
): readonly string[] =>
  parameters
    .filter((parameter) => parameter.in === place)
    .flatMap((parameter) => toPairs(parameterValue(parameter, input), parameter));

/** Replaces existing values. */
export const addHeaders = (
  headers: Headers,
  parameters: readonly ResolvedParameter[],
  input: Readonly<Record<string, unknown>>,
): ToolExecutionError | undefined => {
  for (const parameter of parameters) {
    const value = parameter.in === "header" ? parameterValue(parameter, input) : undefined;
    if (!isPresent(value)) continue;
    const text = toStyledText(value, parameter, (each) => each);
    const reason = headerProblem(parameter.name, text);
    if (reason !== undefined)
      return unsendableInputError(
        `The input does not fit into the request: ${reason}.`,
        `/${parameter.from}`,
      );
    headers.set(parameter.name, text);
  }
  const cookies = parameterPairs(parameters, "cookie", input);
  if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
  return undefined;
};

export const pathParts = (
  parameters: readonly ResolvedParameter[],
): ReadonlyMap<string, { readonly from: string; readonly write: (value: unknown) => string }> =>
  new Map(
    parameters
      .filter((parameter) => parameter.in === "path")
      .map((parameter) => [
        parameter.name,
        {
          from: parameter.from,
          write: (value: unknown) =>
            toStyledText(parameter.json ? JSON.stringify(value) : value, parameter, encodeStrictly),
        },
      ]),
  );
