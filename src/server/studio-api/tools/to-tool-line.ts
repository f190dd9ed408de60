import { remoteOf } from "../../mcp/client/to-tool.ts";
import type { McpServerState } from "../../words/mcp.ts";
import { isIdempotent, isReadOnly } from "../../words/spec.ts";
import type { Registration } from "../../words/tool.ts";
import { given } from "../calls/call-line.ts";
import type { ToolLine } from "../words/tools.ts";
import type { StudioWorld } from "../world.ts";

/** The server that a tool is of, where it is one's. What stands in the place of a tool that is held back is the server's too. */
export const serverOf = ({ shared }: StudioWorld, { key, tool }: Registration): string | undefined => {
  const isRemote = remoteOf(tool) !== undefined;
  const isOf = ({ tools, quarantined }: McpServerState): boolean =>
    (isRemote && tools.includes(key)) || quarantined.some((each) => each.tool === key);
  return shared.mcp.list().find(isOf)?.id;
};

const whyHeldBack = ({ shared }: StudioWorld, key: string): string | undefined =>
  shared.mcp
    .list()
    .flatMap(({ quarantined }) => quarantined)
    .find(({ tool }) => tool === key)?.reason;

export const toToolLine = (world: StudioWorld, registration: Registration): ToolLine => {
  const { key, wireName, origin, tool } = registration;
  const { spec } = tool;
  const { annotations } = spec;
  return {
    key,
    name: spec.name,
    description: spec.description,
    ...given({ title: annotations.title }),
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
    ...given({ server: serverOf(world, registration), heldBack: whyHeldBack(world, key) }),
  };
};
