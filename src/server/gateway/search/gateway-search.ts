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
import { createToolFinder } from "./tool-finder.ts";

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
  const searchTools = createSearchTools(
    createToolFinder(
      {
        registry: shared.registry,
        offerTo: (principal) => listFor(principal).offer,
        listed: (principal, name) => toolsByNameOf(listFor(principal).list).get(name),
      },
      settings,
    ),
  );
  const policy = exemptSearchTools(shared.policy);
  const { turn } = await shared.openPrivateTools({ tools: searchTools, policy });
  const listedAs = searchToolsFor(searchTools, guardPolicy(policy));
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
    return Object.freeze({ key: name, wireName: name, origin: "internal", tool });
  });
  return (principal) => {
    const denied = registrations
      .filter((one) => visible(principal, one).effect === "deny")
      .map(({ key }) => key);
    if (denied.length === 0) return all;
    return denied.includes("search_tools") ? undefined : all.filter(({ name }) => !denied.includes(name));
  };
};

const toolsByName = new WeakMap<readonly McpTool[], ReadonlyMap<string, McpTool>>();

const toolsByNameOf = (list: readonly McpTool[]): ReadonlyMap<string, McpTool> => {
  let known = toolsByName.get(list);
  if (known === undefined) {
    known = new Map(list.map((tool) => [tool.name, tool]));
    toolsByName.set(list, known);
  }
  return known;
};

/**
 * Search tools need no entry in `allow` lists: they only find what their caller may see. Rules and `deny`
 * lists still apply.
 */
const exemptSearchTools = (policy: PolicyEngine): PolicyEngine => ({
  ...policy,
  visible: (principal, registration) => policy.visible(principal, exemptRegistration(registration)),
  decide: (request) => policy.decide({ ...request, registration: exemptRegistration(request.registration) }),
});

const exemptRegistrations = new WeakMap<Registration, Registration>();

/** One object per registration keeps caches warm. */
const exemptRegistration = (registration: Registration): Registration => {
  const before = exemptRegistrations.get(registration);
  if (before !== undefined) return before;
  const one = Object.freeze({ ...registration, isFree: true as const });
  exemptRegistrations.set(registration, one);
  return one;
};
