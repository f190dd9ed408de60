import type { JsonObject } from "../../base/json/is-object.ts";
import { shown } from "../../base/text/visible.ts";
import { ToolError } from "../../types/errors.ts";
import type { NamedMcpServer } from "../../types/mcp.ts";
import { type Lock, ownValue } from "./lock.ts";
import { hashPage } from "./page-hash.ts";

/** Returns why the page must not be used. */
export type CheckPage = (server: NamedMcpServer, uri: string, result: JsonObject) => string | undefined;

const isUiUri = (uri: string): boolean => /^ui:/i.test(uri);

/** A page is code that runs in the user's client. */
export const createPageCheck =
  (lock: Lock | ToolError | undefined): CheckPage =>
  ({ id }, uri, result) => {
    if (lock === undefined || !isUiUri(uri)) return undefined;
    if (ToolError.is(lock)) return shown(lock.message, 300);
    const tools = Object.values(ownValue(lock.servers, id)?.tools ?? {});
    const reviewed = tools.flatMap(({ ui, uiHash }) => (ui?.resourceUri === uri ? (uiHash ?? []) : []));
    if (reviewed.length === 0) return `its page ${shown(uri, 100)} was not reviewed`;
    const now = hashPage(result);
    return now !== undefined && reviewed.includes(now)
      ? undefined
      : `its page ${shown(uri, 100)} changed since it was reviewed`;
  };
