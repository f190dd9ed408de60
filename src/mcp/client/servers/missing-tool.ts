import type { MissingTool } from "../../../registry/tool-registry.ts";
import { spellingsOf, toWireName } from "../../../tools/tool-name.ts";
import type { ToolError } from "../../../types/errors.ts";
import { createStandInTool } from "./tools/stand-in.ts";
import { type Upstream, unavailableError } from "./upstream.ts";

/** Returns undefined if the server is available and therefore has no such tool. */
export const explainMissingServerTool = (
  name: string,
  find: (serverId: string) => Upstream | undefined,
  now: number,
): MissingTool | undefined => {
  const key = spellingsOf(name).find((each) => each.includes("/")) ?? name;
  const [id = "", short = "", ...more] = key.split("/");
  const upstream = more.length === 0 && short !== "" ? find(id) : undefined;
  const error = upstream === undefined ? undefined : upstreamProblem(upstream, now);
  if (error === undefined) return undefined;
  try {
    const tool = createStandInTool(short, id, () => undefined);
    return {
      registration: { key, wireName: toWireName(key), origin: "project", tool },
      failure: error.failure,
    };
  } catch {
    return undefined;
  }
};

const upstreamProblem = (upstream: Upstream, now: number): ToolError | undefined => {
  return upstream.blockedReason() !== undefined || upstream.session === undefined
    ? unavailableError(upstream, now)
    : undefined;
};
