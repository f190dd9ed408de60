import { isObject, type JsonObject } from "../../json/is-object.ts";
import type { ReadOperation } from "./operation.ts";
import type { OpenApiDocument } from "./read-document.ts";

export interface ServerOptions {
  /** The address of the service, in place of those that the document names; of several the first that is a whole one. */
  readonly servers?: string | readonly string[];
  /** Values for the variables in the addresses of the document's servers. Unless set: the document's defaults. */
  readonly serverVariables?: Readonly<Record<string, string>>;
  /** Where the document came from, for addresses that are relative to it. */
  readonly documentUrl?: string;
}

/** The base of an operation's URL without a slash at its end, or why there is none. */
export const serverOf = (
  document: OpenApiDocument,
  operation: Pick<ReadOperation, "servers">,
  options: ServerOptions,
): { readonly url: string } | { readonly problem: string } => {
  const listed = ownServers(options) ?? serversIn(document, operation, options);
  const problems: string[] = [];
  for (const server of listed) {
    const found = absolute(filled(server, options), options);
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
  operation: Pick<ReadOperation, "servers">,
  options: ServerOptions,
): readonly unknown[] => (version === "2.0" ? [swaggerServer(root, options)] : serversOf(root, operation));

const serversOf = (root: JsonObject, { servers }: Pick<ReadOperation, "servers">): readonly unknown[] => {
  if (servers.length > 0) return servers;
  return Array.isArray(root.servers) && root.servers.length > 0 ? root.servers : [{ url: "/" }];
};

/** Of several schemes the safest is taken. */
const swaggerServer = (root: JsonObject, { documentUrl }: ServerOptions): unknown => {
  const schemes: readonly unknown[] = Array.isArray(root.schemes) ? root.schemes : [];
  const own = documentUrl !== undefined && /^http:/i.test(documentUrl) ? "http" : "https";
  const scheme = schemes.includes("https") ? "https" : schemes.includes("http") ? "http" : own;
  const path = typeof root.basePath === "string" ? root.basePath : "";
  const host = typeof root.host === "string" && root.host !== "" ? root.host : undefined;
  return { url: host === undefined ? path || "/" : `${scheme}://${host}/${path.replace(/^\/+/, "")}` };
};

/** An address with its variables filled in; a variable without a value stays, and is then no address. */
const filled = (server: unknown, { serverVariables = {} }: ServerOptions): string => {
  const { url, variables } = isObject(server) ? server : {};
  if (typeof url !== "string") return "";
  return url.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    if (Object.hasOwn(serverVariables, name)) return serverVariables[name]!;
    const said = isObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isObject(said) && said.default !== undefined ? String(said.default) : whole;
  });
};

const absolute = (text: string, { documentUrl }: ServerOptions) => {
  const shown = JSON.stringify(text.slice(0, 200));
  const whole = text.trim();
  const url = URL.parse(whole, documentUrl) ?? (whole.startsWith("//") ? URL.parse(`https:${whole}`) : null);
  if (url === null || !/^https?:$/.test(url.protocol) || /[{}]/.test(whole))
    return {
      problem: `its server ${shown} is no whole address; give \`servers\`, such as "https://api.example/v1"`,
    };
  if (url.username !== "" || url.password !== "")
    return { problem: "its server has a login in its address; give `servers` without one, and `auth`" };
  return { url: (url.origin + url.pathname).replace(/\/+$/, "") };
};
