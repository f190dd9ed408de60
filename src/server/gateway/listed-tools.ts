import { isObject, isStringList } from "../../base/json/json-value.ts";
import { remoteToolOf } from "../../mcp/client/create-remote-tool.ts";
import { modernizeSchema } from "../../mcp/client/to-tool/modern-schema.ts";
import { appMetaOf, pickAppMeta, withAppMeta } from "../../mcp/client/to-tool/tool-link.ts";
import type { McpTool } from "../../models/dialects/mcp/to-mcp.ts";
import type { Offer } from "../../registry/offer/offer.ts";
import { formatOffer } from "../../runtime/formatted-offer.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { RemoteTool } from "../../types/mcp.ts";

/** Maps an app's URI to the one for clients. */
export type UiAddress = (key: string, uri: string) => string;

/**
 * Lists remote tools only with what the lock covers, in a form that all known clients accept: one unreadable
 * tool makes some reject the list.
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

const withReviewedSchemas = (tool: McpTool, remote: RemoteTool): McpTool => {
  const input = modernizeSchema(remote.inputSchema);
  const output = remote.outputSchema === undefined ? undefined : modernizeSchema(remote.outputSchema);
  return {
    ...tool,
    ...(isClientReadable(input) ? { inputSchema: input } : {}),
    ...(output !== undefined && isClientReadable(output) ? { outputSchema: output } : {}),
  };
};

/** The rules of the strictest known client. */
const isClientReadable = ({ $schema, type, properties, required }: JsonSchema): boolean =>
  type === "object" &&
  ($schema === undefined || typeof $schema === "string") &&
  (properties === undefined || (isObject(properties) && Object.values(properties).every(isObject))) &&
  (required === undefined || isStringList(required));

const taskSupportValues: ReadonlySet<unknown> = new Set(["forbidden", "optional", "required"]);

/** Official clients refuse tools that require tasks, but the gateway can wait for them. */
const executionOf = ({ execution }: RemoteTool): Pick<McpTool, "execution"> => {
  if (!isObject(execution) || !taskSupportValues.has(execution.taskSupport)) return {};
  const taskSupport = execution.taskSupport === "required" ? "optional" : execution.taskSupport;
  return { execution: { taskSupport } };
};

/** Only the app in `_meta` is reviewed. */
const metaOf = (remote: RemoteTool, address: (uri: string) => string): Pick<McpTool, "_meta"> => {
  const ui = appMetaOf(remote);
  if (ui === undefined) return {};
  const uri = ui.resourceUri;
  const passed = typeof uri === "string" ? { ...ui, resourceUri: address(uri) } : ui;
  return { _meta: withAppMeta(pickAppMeta(remote._meta), passed) };
};

const toolsByName = new WeakMap<readonly McpTool[], ReadonlyMap<string, McpTool>>();

export const toolsByNameOf = (list: readonly McpTool[]): ReadonlyMap<string, McpTool> => {
  let known = toolsByName.get(list);
  if (known === undefined) {
    known = new Map(list.map((tool) => [tool.name, tool]));
    toolsByName.set(list, known);
  }
  return known;
};
