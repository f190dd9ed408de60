import { isObject } from "../../json/is-object.ts";
import { fromValue, remoteResultOf } from "../../mcp/client/content/from-value.ts";
import type { Reply } from "../../words/reply.ts";
import type { Registration } from "../../words/tool.ts";
import type { AppResult, AppView } from "../words/apps.ts";
import type { StudioWorld } from "../world.ts";
import { appOf } from "./app-tools.ts";

/** A call as the App of its tool shows it, where the tool has one. */
export const toAppView = (
  world: StudioWorld,
  registration: Registration | undefined,
  input: unknown,
  result: AppResult,
): AppView | undefined => {
  const app = registration === undefined ? undefined : appOf(world, registration);
  if (app === undefined) return undefined;
  const given = world.redactor.value(input);
  return { ...app, input: isObject(given) ? given : {}, result };
};

/** A result rebuilt from the value that became of it. Blocks beside promised structured content are not kept anywhere. */
export const toAppResult = (
  { redactor }: StudioWorld,
  { ok, value, text, parts }: Pick<Reply, "ok" | "value" | "text" | "parts">,
): AppResult => {
  const masked = redactor.value(value);
  const reply = { ok, value: masked, text, id: "", tool: "", flow: { kind: "continue" } } as const;
  return (
    ok ? (remoteResultOf(masked, parts) ?? fromValue(reply as never)) : fromValue(reply as never)
  ) as AppResult;
};
