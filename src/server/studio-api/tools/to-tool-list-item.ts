import { remoteToolOf } from "../../../mcp/client/create-remote-tool.ts";
import type { McpServerState } from "../../../types/mcp.ts";
import { isIdempotent, isReadOnly, type Registration } from "../../../types/tool.ts";
import { definedFields } from "../read-query.ts";
import type { ToolListItem } from "../schemas/tools.ts";
import type { StudioServices } from "../studio-services.ts";

/** Also for the placeholders of quarantined tools. */
export const serverIdOfTool = (
  { shared }: StudioServices,
  { key, tool }: Registration,
): string | undefined => {
  const isRemote = remoteToolOf(tool) !== undefined;
  const isOf = ({ tools, quarantined }: McpServerState): boolean =>
    (isRemote && tools.includes(key)) || quarantined.some((each) => each.tool === key);
  return shared.mcp.list().find(isOf)?.id;
};

const quarantineReason = ({ shared }: StudioServices, key: string): string | undefined =>
  shared.mcp
    .list()
    .flatMap(({ quarantined }) => quarantined)
    .find(({ tool }) => tool === key)?.reason;

export const toToolListItem = (studio: StudioServices, registration: Registration): ToolListItem => {
  const { key, wireName, origin, tool } = registration;
  const { spec } = tool;
  const { annotations } = spec;
  return {
    key,
    name: spec.name,
    description: spec.description,
    ...definedFields({ title: annotations.title }),
    origin,
    source: spec.source,
    category: spec.category,
    risk: spec.risk,
    tags: spec.tags,
    requiresApproval: spec.requiresApproval,
    readOnly: isReadOnly(spec),
    idempotent: isIdempotent(spec),
    destructive: annotations.destructive === true,
    openWorld: annotations.openWorld === true,
    wireName,
    ...definedFields({
      server: serverIdOfTool(studio, registration),
      quarantineReason: quarantineReason(studio, key),
    }),
  };
};
