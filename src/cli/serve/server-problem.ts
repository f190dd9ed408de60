import type { McpServerState } from "../../types/mcp.ts";
import { plainText } from "../screen.ts";

/** Undefined if all tools of the server can be called, or it is still connecting. */
export const serverProblem = ({ status, reason, tools, quarantined }: McpServerState): string | undefined => {
  if (status === "connected" || status === "connecting") return undefined;
  if (status !== "degraded" || quarantined.length === 0)
    return `it is ${status}${reason === undefined ? "" : `: ${plainText(reason)}`}`;
  const held = quarantined.length;
  const count = `${held} of ${held + tools.length} tools ${held === 1 ? "is" : "are"} quarantined`;
  const rest = tools.length === 0 ? "" : ", the others can be called";
  return `${count}${rest}. ${quarantineReasons(quarantined)}. haft lock --diff shows what changed.`;
};

const maxNamedTools = 3;

const quarantineReasons = (held: McpServerState["quarantined"]): string => {
  const [first] = held;
  if (held.length > 1 && held.every(({ reason }) => reason === first!.reason))
    return plainText(first!.reason);
  const named = held
    .slice(0, maxNamedTools)
    .map(({ tool, reason }) => `${plainText(tool)}: ${plainText(reason)}`);
  const more = held.length > maxNamedTools ? [`and ${held.length - maxNamedTools} more`] : [];
  return [...named, ...more].join("; ");
};
