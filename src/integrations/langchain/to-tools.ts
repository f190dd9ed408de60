import type { Session } from "../../runtime/session.ts";
import type { ToolOrClass } from "../../tools/decorator.ts";
import { checkIntegration } from "../check-integration.ts";
import { type IntegrationOptions, listSessionTools, type SessionToolTypes } from "../session-tools.ts";
import { HaftTool } from "./haft-tool.ts";

/** One LangChain tool for each tool of the session, distinguished by name. */
export type LangChainTools<All extends readonly ToolOrClass[]> = {
  [Name in keyof SessionToolTypes<All> & string]: HaftTool<
    Name,
    SessionToolTypes<All>[Name]["input"],
    SessionToolTypes<All>[Name]["output"]
  >;
}[keyof SessionToolTypes<All> & string][];

/**
 * Converts a session's tools for `bindTools`, a `ToolNode` or `createAgent`. A call that needs approval
 * pauses its graph with an interrupt whose value is a `PausedCallRequest`. After the answer,
 * `graph.invoke(null, config)` resumes it.
 */
export const toLangChainTools = <const All extends readonly ToolOrClass[]>(
  session: Session<All>,
  options: IntegrationOptions = {},
): LangChainTools<All> => {
  checkIntegration("toLangChainTools", session, options);
  return listSessionTools(session).map((tool) => new HaftTool(session, tool, options)) as LangChainTools<All>;
};
