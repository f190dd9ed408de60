import * as Effect from "effect/Effect";
import type { McpTool } from "../../dialects/mcp/to-mcp.ts";
import type { PolicyEngine } from "../../policy/engine.ts";
import { guard } from "../../policy/guard.ts";
import type { Shared } from "../../runtime/shared.ts";
import { ConfigurationError, type ToolError } from "../../words/errors.ts";
import type { Principal } from "../../words/principal.ts";
import type { Reply } from "../../words/reply.ts";
import type { AnyTool, Registration } from "../../words/tool.ts";
import type { ServedCall } from "../served.ts";
import { finder } from "./finder.ts";
import { handful, type ListedOffer } from "./handful.ts";
import type { LoadedTools } from "./loaded-tools.ts";
import { isOwnName } from "./own-names.ts";
import { listedOwn, ownTools, type SearchEnv } from "./own-tools.ts";
import type { SearchSettings } from "./search-settings.ts";
import { whoMaySearch } from "./who-may-search.ts";

/** Shows clients a handful of tools, and lets them search the rest. */
export interface GatewaySearch {
  /** What is listed to a client that may use all of these. */
  readonly shown: (
    principal: Principal,
    listed: ListedOffer,
    loaded: LoadedTools | undefined,
  ) => readonly McpTool[];
  /** Down a corridor like any other call. */
  readonly call: (call: ServedCall) => Effect.Effect<Reply, ToolError>;
}

export const openSearch = async (
  shared: Shared,
  settings: SearchSettings,
  listedTo: (principal: Principal) => ListedOffer,
): Promise<GatewaySearch> => {
  refuseCollisions(shared);
  const own = ownTools(
    finder(
      {
        registry: shared.registry,
        offerTo: (principal) => listedTo(principal).offer,
        listed: (principal, name) => byNameIn(listedTo(principal).list).get(name),
      },
      settings,
    ),
  );
  const policy = whoMaySearch(shared.policy);
  const { turn } = await shared.toolsBeside({ tools: own, policy });
  const listedAs = ownTo(own, guard(policy));
  const few = handful(settings);
  return {
    shown: (principal, listed, loaded) => {
      const mine = listedAs(principal);
      return mine === undefined ? listed.list : few(listed, mine, loaded);
    },
    // Without the client's key: what was loaded in one connection is no answer for another.
    call: ({ id, tool, input, principal, correlationId, loaded }) => {
      const env: SearchEnv = { loaded };
      const options = { principal, correlationId, env };
      return Effect.map(turn([{ id, tool, input }], options), (replies) => replies[0]!);
    },
  };
};

/** Of one name clients could call only one of two tools, and would not know which. */
const refuseCollisions = ({ registry, events }: Shared): void => {
  const taken = registry.list().find(({ wireName }) => isOwnName(wireName));
  if (taken !== undefined) throw new ConfigurationError("invalid_config", collision(taken.key));
  // A server may bring one later, which nobody can refuse by then.
  events.on("tools.registered", ({ toolName }) => {
    if (isOwnName(toolName))
      process.emitWarning(`${collision(toolName)} Until then it is not served.`, "HaftWarning");
  });
};

const collision = (key: string): string =>
  `serve.search has a tool of its own that is named "${key}", and so has this runtime. Rename yours (withName("…") in code; a server with names: "prefixed"), or leave serve.search out.`;

type OwnTo = (principal: Principal) => readonly McpTool[] | undefined;

/** Those of our own that a caller may use; nothing where it may not search, and so has to be listed everything. */
const ownTo = (own: readonly AnyTool[], { visible }: Pick<PolicyEngine, "visible">): OwnTo => {
  const all = listedOwn(own);
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

const named = new WeakMap<readonly McpTool[], ReadonlyMap<string, McpTool>>();

const byNameIn = (list: readonly McpTool[]): ReadonlyMap<string, McpTool> => {
  let known = named.get(list);
  if (known === undefined) {
    known = new Map(list.map((tool) => [tool.name, tool]));
    named.set(list, known);
  }
  return known;
};
