import type { Offer } from "../catalog/offer/offer.ts";
import type { McpTool } from "../dialects/mcp/to-mcp.ts";
import { isObject, type JsonObject } from "../json/is-object.ts";
import { modernSchema } from "../mcp/client/to-tool/modern-schema.ts";
import { uiOf, withUi } from "../mcp/client/to-tool/ui-of.ts";
import { remoteOf } from "../mcp/client/to-tool.ts";
import { toOffering } from "../runtime/offering.ts";
import type { JsonSchema } from "../words/json.ts";
import type { RemoteTool } from "../words/mcp.ts";

/** The address under which clients of the gateway know the page of an app, by the full name of its tool. */
export type UiAddress = (key: string, uri: string) => string;

/**
 * What clients are shown of an offer. Clients refuse a whole list over one tool they cannot read, so whatever a server
 * said passes only in the shape that all of them read.
 */
export const listedTools = (offer: Offer, uiAddress: UiAddress): readonly McpTool[] => {
  const { tools } = toOffering(offer, "mcp");
  const listed = tools.map((tool, index): McpTool => {
    const registration = offer.registrations[index]!;
    const remote = remoteOf(registration.tool);
    if (remote === undefined) return tool;
    return Object.freeze({
      ...withReviewed(tool, remote),
      ...iconsOf(remote),
      ...executionOf(remote),
      ...metaOf(remote, (uri) => uiAddress(registration.key, uri)),
    });
  });
  return Object.freeze(listed);
};

/** A remote tool keeps the schemas that were reviewed, where clients can read them; what it may claim of itself is what its spec says. */
const withReviewed = (tool: McpTool, remote: RemoteTool): McpTool => {
  const input = modernSchema(remote.inputSchema);
  const output = remote.outputSchema === undefined ? undefined : modernSchema(remote.outputSchema);
  return {
    ...tool,
    ...(isReadable(input) ? { inputSchema: input } : {}),
    ...(output !== undefined && isReadable(output) ? { outputSchema: output } : {}),
  };
};

/** As the strictest of the clients in use reads a schema. */
const isReadable = ({ $schema, type, properties, required }: JsonSchema): boolean =>
  type === "object" &&
  ($schema === undefined || typeof $schema === "string") &&
  (properties === undefined || (isObject(properties) && Object.values(properties).every(isObject))) &&
  (required === undefined || isTexts(required));

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const isTextOrMissing = (value: unknown): boolean => value === undefined || typeof value === "string";

/** The protocol has pictures from these only; a client might follow any other. */
const pictureAddress = /^(?:https:|data:image\/)/i;

const isIcon = (icon: unknown): icon is JsonObject =>
  isObject(icon) &&
  typeof icon.src === "string" &&
  pictureAddress.test(icon.src) &&
  isTextOrMissing(icon.mimeType) &&
  (icon.sizes === undefined || isTexts(icon.sizes)) &&
  (icon.theme === undefined || icon.theme === "light" || icon.theme === "dark");

const iconsOf = ({ icons }: RemoteTool): Pick<McpTool, "icons"> => {
  const readable = Array.isArray(icons) ? icons.filter(isIcon) : [];
  return readable.length === 0 ? {} : { icons: readable };
};

const taskSupports: ReadonlySet<unknown> = new Set(["forbidden", "optional", "required"]);

/** The gateway waits for a task itself, so no client has to: official clients refuse to call what requires one. */
const executionOf = ({ execution }: RemoteTool): Pick<McpTool, "execution"> => {
  if (!isObject(execution) || !taskSupports.has(execution.taskSupport)) return {};
  const taskSupport = execution.taskSupport === "required" ? "optional" : execution.taskSupport;
  return { execution: { ...execution, taskSupport } };
};

const ownKeys = /^haft\//;

/** What is said in our name is ours to say. */
const metaOf = (remote: RemoteTool, address: (uri: string) => string): Pick<McpTool, "_meta"> => {
  if (!isObject(remote._meta)) return {};
  const ui = uiOf(remote);
  const uri = ui?.resourceUri;
  const meta =
    ui === undefined || typeof uri !== "string"
      ? remote._meta
      : withUi(remote._meta, { ...ui, resourceUri: address(uri) });
  const said = Object.entries(meta).filter(([key]) => !ownKeys.test(key));
  return said.length === 0 ? {} : { _meta: Object.fromEntries(said) };
};
