import type { Connection } from "../gateway/connection.ts";
import { sharedConversations } from "../gateway/conversations.ts";
import type { FrontOptions } from "../gateway/gateway-state.ts";
import type { Peers } from "../gateway/peers/peers.ts";
import { peersOf } from "../gateway/peers/peers-of.ts";
import type { Served } from "../gateway/served.ts";
import { type ServedAs, servedBy } from "../gateway/served-by.ts";
import { type GatewayStdioOptions, serveStdio as serveOver } from "../gateway/stdio.ts";
import { sharedWaitingCalls } from "../gateway/waiting-calls.ts";
import type { Haft } from "../runtime/haft.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { Principal } from "../words/principal.ts";
import type { HostAuth } from "./auth/host-auth.ts";
import type { HostOptions, HttpHost } from "./host-options.ts";
import { httpHost } from "./http-host.ts";
import { mountMcp } from "./mount-mcp.ts";
import { runtimeHealth } from "./runtime-health.ts";

interface Introduction {
  /** What clients see the endpoint call itself. */
  readonly name?: string;
  readonly version?: string;
  readonly title?: string;
  readonly instructions?: string;
  readonly taint?: ServedAs["taint"];
  /** Lists a handful of tools to clients that may use many, and lets them search the others. */
  readonly search?: ServedAs["search"];
}

/** Where `serveHttp` listens, who may call, and how it introduces itself. */
export interface ServeHttpOptions
  extends Omit<HostOptions, "mcp" | "auth" | "upgrade">,
    FrontOptions,
    Introduction {
  /** Who may call, and as whom; on loopback everybody is the runtime's own principal unless given. */
  readonly auth?: HostAuth;
}

/** How `serveStdio` introduces itself, and the streams it uses. */
export interface ServeStdioOptions extends GatewayStdioOptions, Introduction {}

const introduced = (
  haft: Haft,
  { name = "haft", version = "1", title, instructions, taint, search }: Introduction,
  peers?: Peers,
): Promise<Served> =>
  servedBy(haft, {
    info: { name, version, ...(title === undefined ? {} : { title }) },
    ...(instructions === undefined ? {} : { instructions }),
    ...(taint === undefined ? {} : { taint }),
    ...(search === undefined ? {} : { search }),
    ...(peers === undefined
      ? {}
      : {
          conversationTaints: sharedConversations(peers, Date.now),
          waitingCalls: sharedWaitingCalls(peers),
        }),
  });

/** Everything this runtime has, as one MCP endpoint over HTTP. */
export const serveHttp = async (haft: Haft, options: ServeHttpOptions = {}): Promise<HttpHost> => {
  const auth = options.auth ?? { kind: "none" as const, principal: callerOf(haft) };
  const health = options.health ?? runtimeHealth(() => haft);
  const { peers, warning } = await peersOf(haft);
  try {
    const served = await introduced(haft, options, peers);
    const host = await httpHost({ ...options, auth, health, ...mountMcp(served, { ...options, peers }) });
    const warnings = warning === undefined ? host.warnings : [...host.warnings, warning];
    return Object.freeze({
      ...host,
      warnings,
      close: () => host.close().finally(() => peers?.close()),
    });
  } catch (error) {
    await peers?.close();
    throw error;
  }
};

/** The same over standard input and output, for a client that started this process. */
export const serveStdio = async (haft: Haft, options: ServeStdioOptions = {}): Promise<Connection> =>
  serveOver(await introduced(haft, options), callerOf(haft), options);

const callerOf = ({ principal }: Haft): Principal => {
  if (principal !== undefined) return principal;
  const message = "Somebody must be calling: open the runtime with a principal, or serve haft.as(principal).";
  throw new ConfigurationError("invalid_config", message);
};
