import { refuseHeader } from "../../http/headers.ts";
import { ToolDefinitionError, type ToolExecutionError } from "../../words/errors.ts";
import { refuseInput } from "./refuse-input.ts";
import { encodeStrictly, type ParameterStyle, type StyledName, toPairs, toStyledText } from "./styles.ts";

/** A part of the input that has a place of its own in the request. */
export interface RequestParameter {
  readonly in: "path" | "query" | "header" | "cookie";
  /** Its name in the request. */
  readonly name: string;
  /** The property of the input. Unless set: the same name. */
  readonly from?: string;
  /** Unless set: `form` in a query or a cookie, `simple` in a path or a header. */
  readonly style?: ParameterStyle;
  /** Unless set: true for `form`, false for any other style. */
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
  /** Written as JSON, whatever the style. */
  readonly json?: boolean;
}

/** A parameter with everything that was left out. */
export interface PlacedParameter extends StyledName {
  readonly in: RequestParameter["in"];
  readonly from: string;
  readonly json: boolean;
}

const styles: Readonly<Record<RequestParameter["in"], readonly ParameterStyle[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

/** Throws at definition time what no input could repair. */
export const placeParameter = (parameter: RequestParameter): PlacedParameter => {
  const { name, in: place, allowReserved } = parameter;
  const refuse = (why: string) =>
    new ToolDefinitionError(
      "invalid_definition",
      `The parameter ${JSON.stringify(name)} of an HTTP tool ${why}.`,
    );
  const fitting = styles[place];
  if (fitting === undefined) throw refuse(`has one of the places ${Object.keys(styles).join(", ")}`);
  const style = parameter.style ?? fitting[0]!;
  if (!fitting.includes(style)) throw refuse(`is in the ${place}, which has no style ${style}`);
  const reason = place === "header" ? refuseHeader(name, "") : undefined;
  if (reason !== undefined) throw refuse(`cannot be sent: ${reason}`);
  return {
    in: place,
    name,
    from: parameter.from ?? name,
    style,
    explode: parameter.explode ?? style === "form",
    json: parameter.json === true,
    ...(allowReserved === true ? { allowReserved } : {}),
  };
};

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

const partOf = ({ from, json }: PlacedParameter, input: Readonly<Record<string, unknown>>): unknown => {
  const value = Object.hasOwn(input, from) ? input[from] : undefined;
  return json && isPresent(value) ? JSON.stringify(value) : value;
};

/** The parts of the query, or of a cookie, as `name=value` pairs. */
export const pairsOf = (
  parameters: readonly PlacedParameter[],
  place: "query" | "cookie",
  input: Readonly<Record<string, unknown>>,
): readonly string[] =>
  parameters
    .filter((parameter) => parameter.in === place)
    .flatMap((parameter) => toPairs(partOf(parameter, input), parameter));

/** Puts the parameters into headers and the cookie, over what is there. */
export const addHeaders = (
  headers: Headers,
  parameters: readonly PlacedParameter[],
  input: Readonly<Record<string, unknown>>,
): ToolExecutionError | undefined => {
  for (const parameter of parameters) {
    const value = parameter.in === "header" ? partOf(parameter, input) : undefined;
    if (!isPresent(value)) continue;
    const text = toStyledText(value, parameter, (each) => each);
    const reason = refuseHeader(parameter.name, text);
    if (reason !== undefined)
      return refuseInput(`The input does not fit into the request: ${reason}.`, `/${parameter.from}`);
    headers.set(parameter.name, text);
  }
  const cookies = pairsOf(parameters, "cookie", input);
  if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
  return undefined;
};

/** How a path writes its named parts: each by the name in braces. */
export const pathParts = (
  parameters: readonly PlacedParameter[],
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
