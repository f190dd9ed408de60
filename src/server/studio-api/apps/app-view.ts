import { isObject } from "../../../base/json/is-object.ts";
import { restoreRemoteResult, toRemoteResult } from "../../../mcp/client/content/to-remote-result.ts";
import type { Reply } from "../../../types/reply.ts";
import type { Registration } from "../../../types/tool.ts";
import type { AppResult, AppView } from "../schemas/apps.ts";
import type { StudioServices } from "../studio-services.ts";
import { appOf } from "./app-tools.ts";

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

/** The ledger does not record content blocks next to structured content. */
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
