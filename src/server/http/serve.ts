import type { Haft } from "../../runtime/haft.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { Principal } from "../../types/principal.ts";
import type { GatewayBackend } from "../gateway/gateway-backend.ts";
import type { GatewayOptions } from "../gateway/gateway-state.ts";
import { openRuntimeBackend, type RuntimeBackendOptions } from "../gateway/runtime-backend.ts";
import type { Connection } from "../gateway/serve-connection.ts";
import { type GatewayStdioOptions, serveStdio as serveOver } from "../gateway/serve-stdio.ts";
import { openSharedClientState, type SharedClientState } from "../gateway/shared-client-state.ts";
import type { HostAuth } from "./auth/host-auth.ts";
import { createHealthCheck } from "./health.ts";
import type { HostOptions, HttpHost } from "./host-options.ts";
import { openHttpHost } from "./http-host.ts";
import { mountMcp } from "./mount-mcp.ts";

interface ServerIntroduction {
  readonly name?: string;
  readonly version?: string;
  readonly title?: string;
  readonly instructions?: string;
  readonly taint?: RuntimeBackendOptions["taint"];
  readonly search?: RuntimeBackendOptions["search"];
}

/** Options of `serveHttp`. */
export interface ServeHttpOptions
  extends Omit<HostOptions, "mcp" | "auth" | "upgrade">,
    GatewayOptions,
    ServerIntroduction {
  /** Authentication. Default: none; every loopback request acts as the runtime's principal. */
  readonly auth?: HostAuth;
}

/** Options of `serveStdio`. */
export interface ServeStdioOptions extends GatewayStdioOptions, ServerIntroduction {}

const openBackend = (
  haft: Haft,
  { name = "haft", version = "1", title, instructions, taint, search }: ServerIntroduction,
  state?: SharedClientState,
): Promise<GatewayBackend> =>
  openRuntimeBackend(haft, {
    info: { name, version, ...(title === undefined ? {} : { title }) },
    ...(instructions === undefined ? {} : { instructions }),
    ...(taint === undefined ? {} : { taint }),
    ...(search === undefined ? {} : { search }),
    ...state,
  });

/** Serves a runtime as an MCP endpoint over HTTP. */
export const serveHttp = async (haft: Haft, options: ServeHttpOptions = {}): Promise<HttpHost> => {
  const auth = options.auth ?? { kind: "none" as const, principal: servingPrincipal(haft) };
  const health = options.health ?? createHealthCheck(() => haft);
  const { state, warning } = await openSharedClientState(haft);
  try {
    const served = await openBackend(haft, options, state);
    const host = await openHttpHost({ ...options, auth, health, ...mountMcp(served, options) });
    const warnings = warning === undefined ? host.warnings : [...host.warnings, warning];
    return Object.freeze({
      ...host,
      warnings,
      close: () => host.close().finally(() => state?.close()),
    });
  } catch (error) {
    await state?.close();
    throw error;
  }
};

/** Serves a runtime over standard I/O. */
export const serveStdio = async (haft: Haft, options: ServeStdioOptions = {}): Promise<Connection> =>
  serveOver(await openBackend(haft, options), servingPrincipal(haft), options);

const servingPrincipal = ({ principal }: Haft): Principal => {
  if (principal !== undefined) return principal;
  const message =
    "The runtime has no principal, so calls would have no caller. Open the runtime with a principal, or serve haft.as(principal).";
  throw new ConfigurationError("invalid_config", message);
};
