import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { ConfigurationError } from "../../types/errors.ts";
import type { Authenticator, HostAuth } from "./auth/host-auth.ts";
import { metadataPaths } from "./auth/jwt-options.ts";
import { openSwappableAuth, type SwappableAuth } from "./auth/swappable-auth.ts";
import { maxHeaders } from "./checks/headers.ts";
import { toAllowedHosts } from "./checks/host-header.ts";
import type { AccessLogEntry, HostOptions, HttpHost } from "./host-options.ts";
import { type HostSettings, readHostSettings } from "./host-settings.ts";
import { httpRejection } from "./http-rejection.ts";
import { drainRequests, whenIdleOrTimeout } from "./lifecycle/drain.ts";
import { trackLongLivedCallers } from "./lifecycle/long-lived-callers.ts";
import { trackRequestsInFlight as openFlights } from "./lifecycle/requests-in-flight.ts";
import { createThrottle } from "./limits/throttle.ts";
import { isLoopback, toUrlHost } from "./loopback.ts";
import { handleHttpRequest } from "./request/handle-http-request.ts";
import { type HostServices, internalErrorRejection } from "./request/host-services.ts";
import { createUpgradeHandler } from "./request/upgrade.ts";
import { createRequestGuard, type RequestGuard } from "./request-guard.ts";
import { rejectionResponse } from "./wire/send-rejection.ts";

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

const publicHostsOf = ({ metadata }: Authenticator): readonly string[] =>
  metadata === undefined ? [] : [new URL(metadata.resource).host];

const openHost = async (
  options: HostOptions,
  settings: HostSettings,
  authenticator: SwappableAuth,
): Promise<HttpHost> => {
  const { auth, now = Date.now, onError = () => {} } = options;
  const rate = options.rate ?? (auth.kind === "none" ? false : {});
  const limits = createThrottle(rate, now);
  const app = await mountRoutes(options, onError);
  const server = openServer(settings);
  const bound = await listenOn(server, settings);
  const sockets = new Set<Duplex>();
  const inFlight = openFlights();
  let closing: Promise<void> | undefined;

  /** Rebuilt when the endpoint's public URL changes. */
  const openGate = ({ metadata } = authenticator): RequestGuard =>
    createRequestGuard({
      hosts: toAllowedHosts({ host: settings.host, port: bound.port }, [
        ...settings.allowedHosts,
        ...publicHostsOf(authenticator),
      ]),
      origins: settings.allowedOrigins,
      routes: {
        path: settings.path,
        metadata: metadata === undefined ? [] : metadataPaths(metadata.resource, settings.path),
        hasRoutes: app !== undefined,
      },
      authenticator,
      throttle: limits,
    });
  let checks = openGate();
  const longLivedCallers = trackLongLivedCallers({
    isStillKnown: (proof) => checks.reauthenticate(proof),
    now,
    onError,
  });
  authenticator.onChange(() => {
    checks = openGate();
    longLivedCallers.recheck();
  });
  const services: HostServices = {
    options,
    settings,
    requestsInFlight: inFlight,
    longLivedCallers: longLivedCallers,
    get metadata() {
      return authenticator.metadata;
    },
    app,
    onError,
    keysProblem: authenticator.problem,
    isDraining: () => closing !== undefined,
    get guard() {
      return checks;
    },
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void handleHttpRequest(services, request, response);
  // With `Expect: 100-continue`, the client gets the rejection instead.
  server.on("request", listener).on("checkContinue", listener);
  server.on("clientError", rejectUnparsed(options.onAccess));
  if (options.upgrade !== undefined) server.on("upgrade", createUpgradeHandler(services, sockets));

  const close = async (): Promise<void> => {
    await drainRequests(options.mcp, inFlight, { drainMs: settings.drainMs, onError });
    await closeServer(server, sockets);
    // Sockets close before their requests end.
    await whenIdleOrTimeout(inFlight);
    await authenticator.close();
  };

  // A host name may resolve to a public address.
  const timedOut = openAccessError(auth, bound.address);
  if (timedOut !== undefined) {
    await closeServer(server, sockets);
    throw timedOut;
  }
  return Object.freeze({
    url: `http://${toUrlHost(settings.host)}:${bound.port}${settings.path}`,
    port: bound.port,
    warnings: Object.freeze([...hostWarnings(settings, options), ...keysWarning(authenticator)]),
    changeAuth: authenticator.change,
    close: () => (closing ??= close()),
  });
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

/** Loads Hono only if needed. */
const mountRoutes = async (
  { routes }: HostOptions,
  onError: (error: unknown) => void,
): Promise<HostServices["app"]> => {
  if (routes === undefined) return undefined;
  const { Hono } = await import("hono");
  const app: Parameters<typeof routes>[0] = new Hono();
  app.notFound(() => rejectionResponse(httpRejection(404, "not_found", "Not found.")));
  app.onError((error) => {
    onError(error);
    return rejectionResponse(internalErrorRejection());
  });
  routes(app);
  return async (request, principal) => app.fetch(request, { principal });
};

const listenProblems: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `/port ${port} on ${host} is in use. Stop the other program or choose another port (0 selects a free one).`,
  EACCES: (_, port) => `This user may not use /port ${port}. Choose a port of 1024 or higher.`,
  EADDRNOTAVAIL: (host) =>
    `/host ${host} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all.`,
  ENOTFOUND: (host) => `/host ${host} cannot be resolved. Use an address, such as 127.0.0.1.`,
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

const openAccessError = (auth: HostAuth, host: string): ConfigurationError | undefined =>
  auth.kind !== "none" || isLoopback(host)
    ? undefined
    : new ConfigurationError(
        "invalid_config",
        `/auth is "none", but ${host} can be reached from other machines. Bind to 127.0.0.1, or use "tokens" or "jwt".`,
      );

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
