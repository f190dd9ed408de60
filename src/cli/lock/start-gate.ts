import { checkStart } from "../../mcp/lock/launch.ts";
import type { Lock } from "../../mcp/lock/lock.ts";
import type { ServerListing } from "../../mcp/lock/review/review.ts";
import type { HaftOptions } from "../../runtime/haft-options.ts";
import type { NamedMcpServer } from "../../types/mcp.ts";
import type { Terminal } from "../command.ts";
import { serverLaunch } from "../trust/launch.ts";
import type { OperatorFlags } from "../trust/require-operator.ts";
import type { Trust, TrustFlags } from "../trust/trust.ts";

export interface LockFlags extends TrustFlags, OperatorFlags {
  readonly config?: string;
  readonly file?: string;
  readonly yes?: boolean;
  readonly check?: boolean;
  readonly diff?: boolean;
  readonly rebuild?: boolean;
  readonly json?: boolean;
  readonly "accept-flags"?: boolean;
  readonly accept?: readonly string[];
}

/** Called before a server is started or reached. A returned sentence is the reason for a refusal. */
export type StartGate = (
  server: NamedMcpServer,
  credentials: HaftOptions["credentials"],
) => string | undefined;

/** A failed server has `trouble` and no tools. */
export type ListServerTools = (
  given: LockFlags,
  terminal: Terminal,
  services: { readonly trust: Trust; readonly gate: StartGate },
) => Promise<readonly ServerListing[]>;

/**
 * Admits only launches that this user accepted. With --check, refuses whatever differs from the lock, so that
 * CI runs no changed command.
 */
export const startGate =
  (lock: Lock | undefined, flags: LockFlags, trust: Trust): StartGate =>
  (server, credentials) => {
    const right = checkStart(lock ?? { lockVersion: 2, servers: {} }, server);
    if (flags.check === true && !right.ok) return right.reason;
    return trust.isAccepted(serverLaunch(server.id, server, credentials))
      ? undefined
      : "this user has not accepted its launch command.";
  };
