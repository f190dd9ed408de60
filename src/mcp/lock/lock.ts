import type { JsonSchema } from "../../types/json.ts";
import type { RemoteServer } from "../../types/mcp.ts";

/** Contains names of environment variables, but no values. */
export interface StdioLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly envKeys: readonly string[];
  /** Missing in lockfiles older than sandboxes. */
  readonly sandbox?: LockedSandbox;
}

export interface LockedSandbox {
  readonly engine: "bubblewrap";
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly network: boolean;
}

export interface RemoteLaunch {
  readonly url: string;
  readonly transport: NonNullable<RemoteServer["transport"]>;
}

/** Identifies a server by our configuration, not by what it claims. */
export type Launch = StdioLaunch | RemoteLaunch;

export interface LockedDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly ui?: Readonly<Record<string, unknown>>;
  /** Hash of the app's page, which is read separately. */
  readonly uiHash?: string;
}

export interface LockedTool extends Omit<LockedDefinition, "name"> {
  readonly hash: string;
  readonly accepted?: readonly string[];
}

export interface LockedServer {
  readonly launch: Launch;
  readonly launchHash: string;
  /** Informational only. */
  readonly serverInfo?: string;
  readonly tools: Readonly<Record<string, LockedTool>>;
}

export interface Lock {
  /** Version 1 does not cover apps. */
  readonly lockVersion: 1 | 2;
  readonly servers: Readonly<Record<string, LockedServer>>;
}

/** `name` may be a member of Object.prototype, such as `constructor`. */
export const ownValue = <Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;
