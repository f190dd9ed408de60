import { isObject } from "../../../base/json/is-object.ts";
import { restoreRemoteResult, toRemoteResult } from "../../../mcp/client/content/to-remote-result.ts";
import type { Reply } from "../../../types/reply.ts";
import type { Registration } from "../../../types/tool.ts";
import type { StudioServices } from "../studio-services.ts";
import type { AppResult, AppView } from "../types/apps.ts";
import { appOf } from "./app-tools.ts";

/** A call as the App of its tool shows it, where the tool has one. */
export const toAppView = (
  studio: StudioServices,
  registration: Registration | undefined,
  input: unknown,
  result: AppResult,
): AppView | undefined => {
  const app = registration === undefined ? undefined : appOf(studio, registration);
  if (app === undefined) return undefined;
  const given = studio.redactor.value(input);
  return { ...app, input: isObject(given) ? given : {}, result };
};

/** A result rebuilt from the value that became of it. Blocks beside promised structured content are not kept anywhere. */
export const toAppResult = (
  { redactor }: StudioServices,
  { ok, value, text, parts }: Pick<Reply, "ok" | "value" | "text" | "parts">,
): AppResult => {
  const masked = redactor.value(value);
  const reply = { ok, value: masked, text, id: "", tool: "", flow: { kind: "continue" } } as const;
  return (
    ok
      ? (restoreRemoteResult(masked, parts) ?? toRemoteResult(reply as never))
      : toRemoteResult(reply as never)
  ) as AppResult;
};
