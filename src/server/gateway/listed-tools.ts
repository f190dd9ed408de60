import { isObject } from "../../base/json/is-object.ts";
import { remoteToolOf } from "../../mcp/client/create-remote-tool.ts";
import { appMetaOf, pickAppMeta, withAppMeta } from "../../mcp/client/to-tool/mcp-app.ts";
import { modernizeSchema } from "../../mcp/client/to-tool/modern-schema.ts";
import type { McpTool } from "../../models/dialects/mcp/to-mcp.ts";
import type { Offer } from "../../registry/offer/offer.ts";
import { formatOffer } from "../../runtime/formatted-offer.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { RemoteTool } from "../../types/mcp.ts";

/** The address under which clients of the gateway know the page of an app, by the full name of its tool. */
export type UiAddress = (key: string, uri: string) => string;

/**
 * What clients are shown of an offer. Of a server's tool that is what the lock covers and nothing else: icons, other members
 * of `_meta` and of `execution` could change after a review. Clients refuse a whole list over one tool they cannot read, so
 * everything is passed on in the shape that all of them read.
 */
export const toListedTools = (offer: Offer, uiAddress: UiAddress): readonly McpTool[] => {
  const { tools } = formatOffer(offer, "mcp");
  const listed = tools.map((tool, index): McpTool => {
    const registration = offer.registrations[index]!;
    const remote = remoteToolOf(registration.tool);
    if (remote === undefined) return tool;
    return Object.freeze({
      ...withReviewedSchemas(tool, remote),
      ...executionOf(remote),
      ...metaOf(remote, (uri) => uiAddress(registration.key, uri)),
    });
  });
  return Object.freeze(listed);
};

/** A remote tool keeps the schemas that were reviewed, where clients can read them; what it may claim of itself is what its spec says. */
const withReviewedSchemas = (tool: McpTool, remote: RemoteTool): McpTool => {
  const input = modernizeSchema(remote.inputSchema);
  const output = remote.outputSchema === undefined ? undefined : modernizeSchema(remote.outputSchema);
  return {
    ...tool,
    ...(isClientReadable(input) ? { inputSchema: input } : {}),
    ...(output !== undefined && isClientReadable(output) ? { outputSchema: output } : {}),
  };
};

/** As the strictest of the clients in use reads a schema. */
const isClientReadable = ({ $schema, type, properties, required }: JsonSchema): boolean =>
  type === "object" &&
  ($schema === undefined || typeof $schema === "string") &&
  (properties === undefined || (isObject(properties) && Object.values(properties).every(isObject))) &&
  (required === undefined || areStrings(required));

const areStrings = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const taskSupportValues: ReadonlySet<unknown> = new Set(["forbidden", "optional", "required"]);

/**
 * The gateway waits for a task itself, so no client has to: official clients refuse to call what requires one. Nothing else
 * of `execution` is passed on, since nothing of it was reviewed.
 */
const executionOf = ({ execution }: RemoteTool): Pick<McpTool, "execution"> => {
  if (!isObject(execution) || !taskSupportValues.has(execution.taskSupport)) return {};
  const taskSupport = execution.taskSupport === "required" ? "optional" : execution.taskSupport;
  return { execution: { taskSupport } };
};

/** Of `_meta` only the app is reviewed and in the lock, so only the app is passed on. */
const metaOf = (remote: RemoteTool, address: (uri: string) => string): Pick<McpTool, "_meta"> => {
  const ui = appMetaOf(remote);
  if (ui === undefined) return {};
  const uri = ui.resourceUri;
  const passed = typeof uri === "string" ? { ...ui, resourceUri: address(uri) } : ui;
  return { _meta: withAppMeta(pickAppMeta(remote._meta), passed) };
};
