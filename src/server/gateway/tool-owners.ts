import type { McpServersService } from "../../mcp/client/mcp-servers.ts";
import type { ToolRegistry } from "../../registry/tool-registry.ts";

/** Looks up a tool's server by full tool name. */
export const toolServerLookup = (
  { list, companions }: McpServersService,
  registry: ToolRegistry,
): ((key: string) => string | undefined) => {
  let owners = new Map<string, string>();
  let version = -1;
  return (key) => {
    if (version !== registry.version) {
      owners = new Map(
        list().flatMap(({ id, tools }) =>
          [...tools, ...Object.values(companions(id))].map((tool) => [tool, id] as const),
        ),
      );
      version = registry.version;
    }
    return owners.get(key);
  };
};
