import * as Effect from "effect/Effect";
import type { McpTool } from "../../../models/dialects/mcp/to-mcp.ts";
import type { PolicyEngine } from "../../../policy/engine.ts";
import { guardPolicy } from "../../../policy/guard-policy.ts";
import type { SharedRuntime } from "../../../runtime/shared-runtime.ts";
import { ConfigurationError, type ToolError } from "../../../types/errors.ts";
import type { Principal } from "../../../types/principal.ts";
import type { Reply } from "../../../types/reply.ts";
import type { AnyTool, Registration } from "../../../types/tool.ts";
import type { BackendCall } from "../gateway-backend.ts";
import type { LoadedTools } from "./loaded-tools.ts";
import type { SearchSettings } from "./search-settings.ts";
import { isSearchToolName } from "./search-tool-names.ts";
import { createSearchTools, listSearchTools, type SearchToolEnv } from "./search-tools.ts";
import { createShortList, type ListedOffer } from "./short-list.ts";

export interface GatewaySearch {
  readonly shown: (
    principal: Principal,
    listed: ListedOffer,
    loaded: LoadedTools | undefined,
  ) => readonly McpTool[];
  readonly call: (call: BackendCall) => Effect.Effect<Reply, ToolError>;
}

export const openGatewaySearch = async (
  shared: SharedRuntime,
  settings: SearchSettings,
  listFor: (principal: Principal) => ListedOffer,
): Promise<GatewaySearch> => {
  rejectNameCollisions(shared);
  const searchTools = createSearchTools(shared.registry, listFor, settings);
  const { turn } = await shared.openPrivateTools(searchTools);
  const listedAs = searchToolsFor(searchTools, guardPolicy(shared.policy));
  const shortList = createShortList(settings);
  return {
    shown: (principal, listed, loaded) => {
      const listSearchToolsFor = listedAs(principal);
      return listSearchToolsFor === undefined ? listed.list : shortList(listed, listSearchToolsFor, loaded);
    },
    // No idempotency key: loaded tools belong to one connection.
    call: ({ id, tool, input, principal, correlationId, loaded }) => {
      const env: SearchToolEnv = { loaded };
      const options = { principal, correlationId, env };
      return Effect.map(turn([{ id, tool, input }], options), (replies) => replies[0]!);
    },
  };
};

const rejectNameCollisions = ({ registry, events }: SharedRuntime): void => {
  const collidingTool = registry.list().find(({ wireName }) => isSearchToolName(wireName));
  if (collidingTool !== undefined)
    throw new ConfigurationError("invalid_config", nameCollisionMessage(collidingTool.key));
  // Later registrations are only reported.
  events.on("tools.registered", ({ toolName }) => {
    if (isSearchToolName(toolName))
      process.emitWarning(`${nameCollisionMessage(toolName)} It is not served until then.`, "HaftWarning");
  });
};

const nameCollisionMessage = (key: string): string =>
  `serve.search adds a tool "${key}", and this runtime already has a tool of that name. Rename the runtime's tool (withName("…") in code; names: "prefixed" for a server), or remove serve.search.`;

type SearchToolsFor = (principal: Principal) => readonly McpTool[] | undefined;

/** Undefined if the caller may not search and must see all tools. */
const searchToolsFor = (
  own: readonly AnyTool[],
  { visible }: Pick<PolicyEngine, "visible">,
): SearchToolsFor => {
  const all = listSearchTools(own);
  const registrations = own.map((tool): Registration => {
    const { name } = tool.spec;
    return Object.freeze({ key: name, wireName: name, origin: "internal", tool, isFree: true });
  });
  return (principal) => {
    const denied = registrations
      .filter((one) => visible(principal, one).effect === "deny")
      .map(({ key }) => key);
    if (denied.length === 0) return all;
    return denied.includes("search_tools") ? undefined : all.filter(({ name }) => !denied.includes(name));
  };
};
