import type { McpServerState, NamedMcpServer, RemoteTool } from "../../../types/mcp.ts";
import type { DefinitionFlag } from "../flags/flag.ts";
import type { Launch, LockedDefinition } from "../lock.ts";

/** What one server lists now; with `trouble` it could not be asked, and its tools are not known. */
export interface ServerListing {
  readonly server: NamedMcpServer;
  readonly serverInfo?: McpServerState["serverInfo"];
  readonly tools: readonly RemoteTool[];
  /** Of the pages of their apps, by tool. */
  readonly pages?: ReadonlyMap<string, string>;
  readonly trouble?: string;
}

export interface ToolReview {
  readonly name: string;
  /** `refused` cannot be in a lock at all; `same` is told only because of its flags. */
  readonly change: "added" | "removed" | "changed" | "renamed" | "same" | "refused";
  readonly from?: string;
  readonly was?: LockedDefinition;
  readonly now?: LockedDefinition;
  readonly pointers: readonly string[];
  readonly flags: readonly DefinitionFlag[];
  /** Codes of dangers that a reviewer let pass in this very definition. */
  readonly accepted: readonly string[];
  /** A reviewed tool that this one can be taken for. */
  readonly standsFor?: string;
  readonly problem?: string;
}

export interface ServerReview {
  readonly id: string;
  /** `unseen` could not be asked. */
  readonly change: "added" | "removed" | "changed" | "same" | "unseen";
  readonly was?: Launch;
  readonly now?: Launch;
  readonly findings: readonly string[];
  readonly trouble?: string;
  /** All but those that are as they were, and have no open danger. */
  readonly tools: readonly ToolReview[];
  /** How many those are. */
  readonly unchanged: number;
}

export interface LockComparison {
  /** Nothing drifted, and no danger is open. */
  readonly isClean: boolean;
  readonly servers: readonly ServerReview[];
}

/** Dangers that nobody has let pass yet. */
export const findOpenDangers = ({ flags, accepted }: ToolReview): readonly DefinitionFlag[] =>
  flags.filter(({ severity, code }) => severity === "danger" && !accepted.includes(code));
