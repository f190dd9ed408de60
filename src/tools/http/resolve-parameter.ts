import { headerProblem } from "../../base/http/headers.ts";
import { ToolDefinitionError } from "../../types/errors.ts";
import type { ParameterStyle, StyledName } from "./styles.ts";

/** An input property with its own place in the request. */
export interface RequestParameter {
  readonly in: "path" | "query" | "header" | "cookie";
  readonly name: string;
  /** Default: `name`. */
  readonly from?: string;
  /** Default: `form` in query and cookie, `simple` in path and header. */
  readonly style?: ParameterStyle;
  /** Default: true for `form`, else false. */
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
  /** Written as JSON, whatever the style. */
  readonly json?: boolean;
}

export interface ResolvedParameter extends StyledName {
  readonly in: RequestParameter["in"];
  readonly from: string;
  readonly json: boolean;
}

const stylesByLocation: Readonly<Record<RequestParameter["in"], readonly ParameterStyle[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

export const resolveParameter = (parameter: RequestParameter): ResolvedParameter => {
  const { name, in: place, allowReserved } = parameter;
  const refuse = (why: string) =>
    new ToolDefinitionError(
      "invalid_definition",
      `The parameter ${JSON.stringify(name)} of an HTTP tool ${why}.`,
    );
  const fitting = stylesByLocation[place];
  if (fitting === undefined)
    throw refuse(`must have one of the locations ${Object.keys(stylesByLocation).join(", ")}`);
  const style = parameter.style ?? fitting[0]!;
  if (!fitting.includes(style)) throw refuse(`is in the ${place}, which has no style ${style}`);
  const reason = place === "header" ? headerProblem(name, "") : undefined;
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
