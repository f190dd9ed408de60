import { computeScopeUnion } from "@modelcontextprotocol/client";
import type { AuthorizationServer } from "./authorization-server.ts";

interface ScopeWish {
  /** The operator's. */
  readonly configured: string | undefined;
  /** What the MCP server said when it refused us. */
  readonly challenged: string | undefined;
  /** What was asked for before. */
  readonly asked: string | undefined;
  readonly isMachine: boolean;
}

/** What to ask for: as little as the server names, never less than before, and the right to come back unasked. */
export const scopeFor = (
  { metadata, scopes }: AuthorizationServer,
  { configured, challenged, asked, isMachine }: ScopeWish,
): string | undefined => {
  const first = computeScopeUnion(configured, challenged) ?? computeScopeUnion(scopes?.join(" "));
  const scope = computeScopeUnion(asked, first);
  const givesOffline = metadata?.scopes_supported?.includes("offline_access") === true;
  return scope === undefined || isMachine || !givesOffline
    ? scope
    : computeScopeUnion(scope, "offline_access");
};
