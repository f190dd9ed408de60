import type { JsonObject } from "../../json/is-object.ts";
import { ToolError } from "../../words/errors.ts";
import type { NamedServer } from "../../words/mcp.ts";
import { shown } from "./flags/visible.ts";
import { type Lock, own } from "./locked.ts";
import { pageHash } from "./page-hash.ts";

/** What is against the page of an app, by the address it was read from. Nothing where it is as it was reviewed. */
export type PageJudge = (server: NamedServer, uri: string, result: JsonObject) => string | undefined;

const isPage = (uri: string): boolean => /^ui:/i.test(uri);

/** A page is code that runs before a person's eyes, so with a lock only reviewed ones are handed on. */
export const judgePageBy =
  (lock: Lock | ToolError | undefined): PageJudge =>
  ({ id }, uri, result) => {
    if (lock === undefined || !isPage(uri)) return undefined;
    if (ToolError.is(lock)) return shown(lock.message, 300);
    const tools = Object.values(own(lock.servers, id)?.tools ?? {});
    const reviewed = tools.flatMap(({ ui, uiHash }) => (ui?.resourceUri === uri ? (uiHash ?? []) : []));
    if (reviewed.length === 0) return `its page ${shown(uri, 100)} was not reviewed`;
    const now = pageHash(result);
    return now !== undefined && reviewed.includes(now)
      ? undefined
      : `its page ${shown(uri, 100)} changed since it was reviewed`;
  };
