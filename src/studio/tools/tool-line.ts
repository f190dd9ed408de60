import { remoteOf } from "../../mcp/client/to-tool.ts";
import { isIdempotent, isReadOnly } from "../../words/spec.ts";
import type { Registration } from "../../words/tool.ts";
import { given } from "../calls/call-line.ts";
import type { ToolLine } from "../words/tools.ts";
import type { StudioWorld } from "../world.ts";

/** The server that a tool is of, where it is one's. */
export const serverOf = ({ shared }: StudioWorld, { key, tool }: Registration): string | undefined =>
  remoteOf(tool) === undefined
    ? undefined
    : shared.mcp
        .list()
        .find(
          ({ tools, quarantined }) => tools.includes(key) || quarantined.some((each) => each.tool === key),
        )?.id;

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
    ...given({ server: serverOf(world, registration) }),
  };
};
