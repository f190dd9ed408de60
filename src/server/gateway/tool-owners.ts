import type { ToolRegistry } from "../catalog/registry.ts";
import type { McpServersService } from "../mcp/client/servers.ts";

/** Which server a tool came from, by its full name. */
export const ownersOf = (
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
