import type { Session } from "../../runtime/session.ts";
import type { ToolOrClass } from "../../tools/decorator.ts";
import { type IntegrationOptions, listSessionTools, type SessionToolTypes } from "../session-tools.ts";
import { HaftTool } from "./haft-tool.ts";

/** One of them for each tool of the session; which one it is, its name tells. */
export type LangChainTools<All extends readonly ToolOrClass[]> = {
  [Name in keyof SessionToolTypes<All> & string]: HaftTool<
    Name,
    SessionToolTypes<All>[Name]["input"],
    SessionToolTypes<All>[Name]["output"]
  >;
}[keyof SessionToolTypes<All> & string][];

/**
 * The session's tools for `bindTools`, a `ToolNode` or `createAgent`. A call that waits for a person pauses its graph
 * with an interrupt whose value is a `PausedCallQuestion`: `graph.invoke(null, config)` goes on once it is answered.
 */
export const toLangChainTools = <const All extends readonly ToolOrClass[]>(
  session: Session<All>,
  options: IntegrationOptions = {},
): LangChainTools<All> =>
  listSessionTools(session).map((tool) => new HaftTool(session, tool, options)) as LangChainTools<All>;
