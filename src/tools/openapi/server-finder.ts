import { isObject, type JsonObject } from "../../base/json/json-value.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { ParsedOperation } from "./operation.ts";
import type { OpenApiDocument } from "./read-document.ts";

export interface ServerOptions {
  /** Replaces the servers of the document; the first absolute URL is used. */
  readonly servers?: string | readonly string[];
  /** Values of server variables. Default: the document's defaults. */
  readonly serverVariables?: Readonly<Record<string, string>>;
  /** The document's URL, to resolve relative servers. */
  readonly documentUrl?: string;
  /**
   * Additional origins that get credentials, such as `https://files.example`. By default, only servers of the
   * whole document do.
   */
  readonly authOrigins?: readonly string[];
}

export interface OpenApiServer {
  /** Without a trailing slash. */
  readonly url: string;
  /** No credentials are sent there. */
  readonly isElsewhere: boolean;
}

export const serverFinder = (document: OpenApiDocument, options: ServerOptions) => {
  const own = new Set(authOrigins(options));
  const listed = ownServers(options) ?? serversIn(document, { servers: [] }, options);
  for (const server of listed) {
    const found = toAbsoluteUrl(fillVariables(server, options), options);
    if (found.url !== undefined) own.add(new URL(found.url).origin);
  }
  return (operation: Pick<ParsedOperation, "servers">): OpenApiServer | { readonly problem: string } => {
    const found = serverOf(document, operation, options);
    return "url" in found ? { ...found, isElsewhere: !own.has(new URL(found.url).origin) } : found;
  };
};

const authOrigins = ({ authOrigins: given = [] }: ServerOptions): readonly string[] => {
  const list: readonly unknown[] = Array.isArray(given) ? given : [undefined];
  for (const origin of list) {
    if (typeof origin === "string" && /^https?:/.test(origin) && URL.parse(origin)?.origin === origin)
      continue;
    throw new ConfigurationError(
      "invalid_config",
      'fromOpenApi: `authOrigins` must be a list of origins such as "https://files.example", without a path.',
    );
  }
  return given;
};

const serverOf = (
  document: OpenApiDocument,
  operation: Pick<ParsedOperation, "servers">,
  options: ServerOptions,
): { readonly url: string } | { readonly problem: string } => {
  const listed = ownServers(options) ?? serversIn(document, operation, options);
  const problems: string[] = [];
  for (const server of listed) {
    const found = toAbsoluteUrl(fillVariables(server, options), options);
    if ("url" in found) return found;
    problems.push(found.problem);
  }
  return { problem: problems[0] ?? "the document names no server" };
};

const ownServers = ({ servers }: ServerOptions): readonly unknown[] | undefined => {
  if (servers === undefined) return undefined;
  return (typeof servers === "string" ? [servers] : servers).map((url) => ({ url }));
};

const serversIn = (
  { root, version }: OpenApiDocument,
  operation: Pick<ParsedOperation, "servers">,
  options: ServerOptions,
): readonly unknown[] => (version === "2.0" ? [swaggerServer(root, options)] : serversOf(root, operation));

const serversOf = (root: JsonObject, { servers }: Pick<ParsedOperation, "servers">): readonly unknown[] => {
  if (servers.length > 0) return servers;
  return Array.isArray(root.servers) && root.servers.length > 0 ? root.servers : [{ url: "/" }];
};

const swaggerServer = (root: JsonObject, { documentUrl }: ServerOptions): unknown => {
  const schemes: readonly unknown[] = Array.isArray(root.schemes) ? root.schemes : [];
  const own = documentUrl !== undefined && /^http:/i.test(documentUrl) ? "http" : "https";
  const scheme = schemes.includes("https") ? "https" : schemes.includes("http") ? "http" : own;
  const path = typeof root.basePath === "string" ? root.basePath : "";
  const host = typeof root.host === "string" && root.host !== "" ? root.host : undefined;
  return { url: host === undefined ? path || "/" : `${scheme}://${host}/${path.replace(/^\/+/, "")}` };
};

/** A variable without a value makes the URL invalid. */
const fillVariables = (server: unknown, { serverVariables = {} }: ServerOptions): string => {
  const { url, variables } = isObject(server) ? server : {};
  if (typeof url !== "string") return "";
  return url.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    if (Object.hasOwn(serverVariables, name)) return serverVariables[name]!;
    const declaration = isObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = isObject(declaration) ? declaration.default : undefined;
    return typeof value === "string" || typeof value === "number" ? String(value) : whole;
  });
};

const toAbsoluteUrl = (text: string, { documentUrl }: ServerOptions) => {
  const shown = JSON.stringify(text.slice(0, 200));
  const trimmed = text.trim();
  const url =
    URL.parse(trimmed, documentUrl) ?? (trimmed.startsWith("//") ? URL.parse(`https:${trimmed}`) : null);
  if (url === null || !/^https?:$/.test(url.protocol) || /[{}]/.test(trimmed))
    return {
      problem: `its server ${shown} is not an absolute URL; set \`servers\`, such as "https://api.example/v1"`,
    };
  if (url.username !== "" || url.password !== "")
    return { problem: "its server URL contains a login; set `servers` without one, and use `auth`" };
  return { url: (url.origin + url.pathname).replace(/\/+$/, "") };
};
