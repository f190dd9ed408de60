import { remoteToolOf } from "../../mcp/client/create-remote-tool.ts";
import type { McpServersService } from "../../mcp/client/mcp-servers.ts";
import { appResourceOf } from "../../mcp/client/to-tool/tool-link.ts";
import type { ToolRegistry } from "../../registry/tool-registry.ts";

/** Several servers may use the same app URI. */
export interface UiAddresses {
  /** The first configured server whose tool names it. */
  readonly ownerOf: (uri: string) => string | undefined;
  readonly addressOf: (serverId: string, uri: string) => string;
}

export const createUiAddresses = ({ list }: McpServersService, registry: ToolRegistry): UiAddresses => {
  let owners = new Map<string, string>();
  let version = -1;
  const currentOwners = (): ReadonlyMap<string, string> => {
    if (version === registry.version) return owners;
    owners = new Map();
    for (const { id, tools, quarantined } of list()) {
      for (const key of [...tools, ...quarantined.map(({ tool }) => tool)]) {
        const found = registry.get(key);
        const remote = found === undefined ? undefined : remoteToolOf(found.tool);
        const uri = remote === undefined ? undefined : appResourceOf(remote);
        if (uri !== undefined && !owners.has(uri)) owners.set(uri, id);
      }
    }
    version = registry.version;
    return owners;
  };
  return {
    ownerOf: (uri) => currentOwners().get(uri),
    addressOf: (serverId, uri) => (currentOwners().get(uri) === serverId ? uri : uiAlias(serverId, uri)),
  };
};

/** Hosts require the `ui:` scheme. */
export const uiAlias = (serverId: string, uri: string): string =>
  `ui://haft/${serverId}/${encodeURIComponent(uri)}`;

export const isUiAddress = (uri: string): boolean => /^ui:/i.test(uri);
