import { createServer, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { ConfigurationError } from "../../types/errors.ts";
import { createRequestSlots } from "../request/request-slots.ts";
import { createRouter, type Router } from "../request/serve-request.ts";
import type { HostAuth } from "./auth/host-auth.ts";
import { metadataPaths } from "./auth/jwt-options.ts";
import { openSwappableAuth, type SwappableAuth } from "./auth/swappable-auth.ts";
import { maxHeaders, toAllowedHosts } from "./check-incoming.ts";
import { createRequestHandler } from "./handle-request.ts";
import type { AccessLogEntry, HostOptions, HttpHost } from "./host-options.ts";
import { type HostSettings, readHostSettings } from "./host-settings.ts";
import { type HostRoute, type HostState, identifyCaller } from "./host-state.ts";
import { drainRequests, trackLongLivedCallers, whenIdleOrTimeout } from "./long-lived-callers.ts";
import { isLoopback, toUrlHost } from "./loopback.ts";
import { createThrottle } from "./throttle.ts";
import { createUpgradeHandler } from "./upgrade.ts";

const publicHostsOf = ({ metadata }: SwappableAuth): readonly string[] =>
  metadata === undefined ? [] : [new URL(metadata.resource).host];

const routesOf = ({ path }: HostSettings, { metadata }: SwappableAuth): Router<HostRoute> => {
  const metadataUrls = metadata === undefined ? [] : metadataPaths(metadata.resource, path);
  const route = (kind: HostRoute["kind"], at: string, methods: readonly string[]): HostRoute[] =>
    methods.map((method) => ({ kind, method, path: at }));
  return createRouter([
    ...route("mcp", path, ["GET", "POST", "DELETE"]),
    ...route("healthz", "/healthz", ["GET", "HEAD"]),
    ...route("readyz", "/readyz", ["GET", "HEAD"]),
    ...metadataUrls.flatMap((at) => route("metadata", at, ["GET", "HEAD"])),
  ]);
};

const openHost = async (
  options: HostOptions,
  settings: HostSettings,
  authenticator: SwappableAuth,
): Promise<HttpHost> => {
  const { auth, now = Date.now, onError = () => {} } = options;
  const throttle = createThrottle(options.rate ?? (auth.kind === "none" ? false : {}), now);
  const server = openServer(settings);
  const bound = await listenOn(server, settings);
  const sockets = new Set<Duplex>();
  const slots = createRequestSlots();
  const longLivedCallers = trackLongLivedCallers({
    identify: (credentials) => identifyCaller({ authenticator }, credentials),
    now,
    onError,
  });
  const publicEndpoint = () => ({
    allowedHosts: toAllowedHosts({ host: settings.host, port: bound.port }, [
      ...settings.allowedHosts,
      ...publicHostsOf(authenticator),
    ]),
    findRoute: routesOf(settings, authenticator),
  });
  const host: HostState = {
    ...{ options, settings, authenticator, throttle, slots, longLivedCallers, onError },
    ...publicEndpoint(),
    isDraining: false,
  };
  authenticator.onChange(() => {
    Object.assign(host, publicEndpoint());
    longLivedCallers.recheck();
  });
  const handle = createRequestHandler(host);
  // With `Expect: 100-continue`, the client gets the error instead.
  server.on("request", handle).on("checkContinue", handle);
  server.on("clientError", rejectUnparsed(options.onAccess));
  if (options.upgrade !== undefined) server.on("upgrade", createUpgradeHandler(host, sockets));

  const close = async (): Promise<void> => {
    host.isDraining = true;
    await drainRequests(options.mcp, slots, { drainMs: settings.drainMs, onError });
    await closeServer(server, sockets);
    // Sockets close before their requests end.
    await whenIdleOrTimeout(slots);
    await authenticator.close();
  };
  let closing: Promise<void> | undefined;

  // A host name may resolve to a public address.
  const openAccessProblem = openAccessError(auth, bound.address);
  if (openAccessProblem !== undefined) {
    await closeServer(server, sockets);
    throw openAccessProblem;
  }
  return Object.freeze({
    url: `http://${toUrlHost(settings.host)}:${bound.port}${settings.path}`,
    port: bound.port,
    warnings: Object.freeze([...hostWarnings(settings, options), ...keysWarning(authenticator)]),
    changeAuth: authenticator.change,
    close: () => (closing ??= close()),
  });
};

const openServer = ({ bodyTimeoutMs, maxConcurrent }: HostSettings): Server => {
  const server = createServer({
    headersTimeout: 10_000,
    // A fallback: bodies have a shorter timeout.
    requestTimeout: bodyTimeoutMs + 15_000,
    connectionsCheckingInterval: 2_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16 * 1024,
  });
  server.maxHeadersCount = maxHeaders;
  // Calls, streams and control messages have separate limits.
  server.maxConnections = maxConcurrent * 3 + 64;
  return server;
};

const closeServer = (server: Server, sockets: ReadonlySet<Duplex>): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
  });

const listenProblems: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} on ${host} is in use. Stop the other program or choose another port (0 selects a free one).`,
  EACCES: (_, port) => `This user may not use port ${port}. Choose a port of 1024 or higher.`,
  EADDRNOTAVAIL: (host) =>
    `The host ${host} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all.`,
  ENOTFOUND: (host) => `The host ${host} cannot be resolved. Use an address, such as 127.0.0.1.`,
};

const listenOn = (server: Server, { host, port }: HostSettings): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      const reason = listenProblems[error.code ?? ""]?.(host, port);
      reject(
        reason === undefined ? error : new ConfigurationError("invalid_config", reason, { cause: error }),
      );
    };
    server.once("error", onError);
    server.listen({ host, port }, () => {
      server.off("error", onError);
      resolve(server.address() as AddressInfo);
    });
  });

const statusByErrorCode: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Private field of Node: the current response. */
interface HttpSocket extends Duplex {
  readonly _httpMessage?: { readonly headersSent?: boolean } | null;
}

/** Like Node's default, with logging. */
const rejectUnparsed =
  (onAccess: ((line: AccessLogEntry) => void) | undefined) =>
  (error: NodeJS.ErrnoException, socket: HttpSocket): void => {
    // No error can be sent.
    if (error.code === "ECONNRESET" || !socket.writable || socket._httpMessage?.headersSent === true) {
      socket.destroy();
      return;
    }
    const status = statusByErrorCode[error.code ?? ""] ?? 400;
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`, () =>
      socket.destroy(),
    );
    // Otherwise it is logged with its request.
    if (socket._httpMessage === undefined || socket._httpMessage === null)
      onAccess?.({ method: "?", path: "?", status, ms: 0, agent: undefined });
  };

/** Without auth, it only binds to loopback. */
export const openHttpHost = async (options: HostOptions): Promise<HttpHost> => {
  const settings = readHostSettings(options);
  const openAccessProblem = openAccessError(options.auth, settings.host);
  if (openAccessProblem !== undefined) throw openAccessProblem;
  const authenticator = await openSwappableAuth(options.auth, options.now ?? Date.now);
  try {
    return await openHost(options, settings, authenticator);
  } catch (error) {
    await authenticator.close();
    throw error;
  }
};

const keysWarning = ({ problem }: SwappableAuth): readonly string[] => {
  const what = problem();
  return what === undefined
    ? []
    : [`${what.message} Until then every caller receives 503. /readyz reports when the keys are available.`];
};

const wildcardAddresses: ReadonlySet<string> = new Set(["0.0.0.0", "::", ""]);

const hostWarnings = ({ host, allowedHosts }: HostSettings, { auth }: HostOptions): readonly string[] => {
  if (isLoopback(host)) return [];
  const warnings = [
    `Tokens to ${host} are sent unencrypted, because this host uses plain HTTP. Put a TLS proxy in front of it. If the proxy runs on the same machine, bind to 127.0.0.1.`,
  ];
  if (wildcardAddresses.has(host) && allowedHosts.length === 0 && auth.kind !== "jwt") {
    warnings.push(
      "Only requests to localhost are answered, because allowedHosts is empty. Add the names under which clients reach this host.",
    );
  }
  return warnings;
};

const openAccessError = (auth: HostAuth, host: string): ConfigurationError | undefined =>
  auth.kind !== "none" || isLoopback(host)
    ? undefined
    : new ConfigurationError(
        "invalid_config",
        `The kind of auth is "none", but ${host} can be reached from other machines. Bind to 127.0.0.1, or use "tokens" or "jwt".`,
      );
