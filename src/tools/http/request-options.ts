import { headerProblem } from "../../base/http/headers.ts";
import { ToolDefinitionError } from "../../types/errors.ts";
import type { RequestContent } from "./encode-content.ts";
import type { ParameterStyle, StyledName } from "./styles.ts";

const httpMethods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] as const;

/** An input property with its own place in the request. */
interface RequestParameter {
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

export interface RequestOptions<In> {
  /** `{name}` in the path is filled from the input. */
  readonly url: string;
  readonly method?: (typeof httpMethods)[number];
  /** By default, GET and DELETE send the rest of the input here. */
  readonly query?: RequestFields<In>;
  readonly headers?: RequestFields<In>;
  /** By default, POST, PUT and PATCH send the rest of the input here. */
  readonly body?: RequestFields<In> | ((input: In) => unknown);
  /** Input properties with their own place and style. If set, other properties are not sent unless named. */
  readonly parameters?: readonly RequestParameter[];
  /** The property that becomes the body, encoded as JSON, form, text or bytes. Replaces `body`. */
  readonly content?: RequestContent;
}

/** The base is fixed; segments may contain `{names}`. */
interface UrlTemplate {
  readonly base: URL;
  readonly segments: readonly string[];
  readonly names: ReadonlySet<string>;
}

export const placeholder = /\{([^{}]*)\}/g;

const templateError = (why: string): ToolDefinitionError =>
  new ToolDefinitionError("invalid_definition", `The url of an HTTP tool ${why}.`);

/** Split before parsing, which would encode the braces. */
export const readTemplate = (text: string): UrlTemplate => {
  const [, before = "", path = "", after = ""] = /^([^/?#]*\/\/[^/?#]*)([^?#]*)(.*)$/s.exec(text) ?? [];
  if (!/^https?:\/\/[^/]/i.test(before))
    throw templateError("must begin with http:// or https:// and a host");
  if (/[{}]/.test(before + after)) throw templateError("can have {names} only in its path; use `query`");
  // URL parsing would turn these into other segments.
  if (/[\\\p{Cc}]/u.test(before + path))
    throw templateError("must not contain a backslash or a control character");
  if (!URL.canParse(before + path + after)) throw templateError("cannot be read");
  const base = new URL(before + after);
  if (base.username !== "" || base.password !== "")
    throw templateError("must not contain a login; use `auth`");
  if (base.hash !== "") throw templateError("must not contain a fragment, which is never sent to a server");
  const names = new Set([...path.matchAll(placeholder)].map(([, name = ""]) => name));
  const literal = path.replaceAll(placeholder, "");
  if (names.has("") || /[{}]/.test(literal)) throw templateError("has a brace without a name");
  if (/%[0-9a-f]?\{/i.test(path)) throw templateError("has a percent sign that the input would complete");
  const segments = path.split("/");
  if (segments.some((segment) => isDotSegment(segment)))
    throw templateError("must not contain a segment of dots");
  return { base, segments, names };
};

/** `%2e` counts as a dot. */
export const isDotSegment = (segment: string): boolean => /^(?:\.|%2e){1,2}$/i.test(segment);

export const checkRequest = <In>(options: RequestOptions<In>): void => {
  const { method = "GET", headers = {}, body, content, parameters = [] } = options;
  const refuse = (why: string) => new ToolDefinitionError("invalid_definition", `An HTTP tool ${why}.`);
  if (!httpMethods.includes(method)) throw refuse(`must have one of the methods ${httpMethods.join(", ")}`);
  if (method === "GET" && body !== undefined) throw refuse("with GET cannot send a body; use `query`");
  if (body !== undefined && content !== undefined) throw refuse("has both `body` and `content`; remove one");
  for (const name of Object.keys(headers)) {
    const reason = headerProblem(name, "");
    if (reason !== undefined) throw refuse(`cannot be sent: ${reason}`);
  }
  for (const parameter of parameters) resolveParameter(parameter);
  readTemplate(options.url);
};

/** Constants, or functions of the validated input. */
export type RequestFields<In> = Readonly<Record<string, FieldValue | ((input: In) => unknown)>>;

type FieldValue = string | number | boolean | null | undefined;

/** Prefer headers: queries end up in server logs. For `basic` the secret is `user:password`. */
export type SecretAuth =
  | { readonly secret: string; readonly scheme?: "bearer" | "basic" }
  | { readonly secret: string; readonly header: string }
  | { readonly secret: string; readonly query: string }
  | { readonly secret: string; readonly cookie: string };

/** The caller's own OAuth token, as Bearer. */
interface OAuthAuth {
  readonly kind: "oauth";
  readonly credential: string;
}

export type HttpAuth = SecretAuth | OAuthAuth;

export const isOAuth = (auth: HttpAuth | undefined): auth is OAuthAuth =>
  auth !== undefined && "kind" in auth && auth.kind === "oauth";

export const headerOf = (auth: SecretAuth): string => {
  if ("cookie" in auth) return "cookie";
  return "header" in auth ? auth.header : "authorization";
};

export const authsOf = (auth: HttpAuth | readonly HttpAuth[] | undefined): readonly HttpAuth[] =>
  auth === undefined ? [] : Array.isArray(auth) ? auth : [auth as HttpAuth];

const isName = (name: unknown): boolean => typeof name === "string" && name !== "";

const authProblem = (auth: HttpAuth): string | undefined => {
  if (isOAuth(auth))
    return isName(auth.credential) ? undefined : "`auth.credential` must be the name of an OAuth credential";
  if (!isName(auth.secret)) return "`auth.secret` must be the name of a secret";
  if ("query" in auth)
    return isName(auth.query) ? undefined : "`auth.query` must be the name of a query parameter";
  if ("cookie" in auth)
    return /^[^\s=;,"]+$/.test(auth.cookie) ? undefined : "`auth.cookie` must be the name of a cookie";
  return headerProblem(headerOf(auth), "");
};

export const checkAuth = (auth: HttpAuth): void => {
  const reason = authProblem(auth);
  if (reason !== undefined)
    throw new ToolDefinitionError("invalid_definition", `The auth of an HTTP tool: ${reason}.`);
};
