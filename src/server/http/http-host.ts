import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { ConfigurationError } from "../words/errors.ts";
import { type ChangingAuth, changingAuth } from "./auth/changing-auth.ts";
import type { Authenticator, HostAuth } from "./auth/host-auth.ts";
import { metadataPaths } from "./auth/jwt-options.ts";
import { maxHeaders } from "./checks/headers.ts";
import { hostList } from "./checks/host-header.ts";
import { type Gate, gate } from "./gate.ts";
import type { HostOptions, HttpHost } from "./host-options.ts";
import { drain, landed } from "./life/drain.ts";
import { flights as openFlights } from "./life/requests-in-flight.ts";
import { standingCallers } from "./life/standing-callers.ts";
import { throttle } from "./limits/throttle.ts";
import { inUrl, isLoopback } from "./loopback.ts";
import { refusal } from "./refusal.ts";
import { type HostSettings, readSettings } from "./settings.ts";
import { broken, type HostServices } from "./visit/host-services.ts";
import { upgradeVia } from "./visit/upgrade.ts";
import { visit } from "./visit/visit.ts";
import { toResponse } from "./wire/refuse.ts";
import { refuseUnparsed } from "./wire/refuse-unparsed.ts";

const openServer = ({ bodyTimeoutMs, maxConcurrent }: HostSettings): Server => {
  const server = createServer({
    headersTimeout: 10_000,
    // The last resort: a body has its own, shorter time, and a better answer.
    requestTimeout: bodyTimeoutMs + 15_000,
    connectionsCheckingInterval: 2_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16 * 1024,
  });
  server.maxHeadersCount = maxHeaders;
  // Calls, what stays open and messages that start nothing are bounded apart from each other.
  server.maxConnections = maxConcurrent * 3 + 64;
  return server;
};

const stop = (server: Server, sockets: ReadonlySet<Duplex>): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
  });

/** The public name of the endpoint is one that clients come by. */
const publicHosts = ({ metadata }: Authenticator): readonly string[] =>
  metadata === undefined ? [] : [new URL(metadata.resource).host];

const open = async (
  options: HostOptions,
  settings: HostSettings,
  authenticator: ChangingAuth,
): Promise<HttpHost> => {
  const { auth, now = Date.now, onError = () => {} } = options;
  const rate = options.rate ?? (auth.kind === "none" ? false : {});
  const limits = throttle(rate, now);
  const app = await mount(options, onError);
  const server = openServer(settings);
  const bound = await listen(server, settings);
  const sockets = new Set<Duplex>();
  const flights = openFlights();
  let closing: Promise<void> | undefined;

  /** By the public name that the endpoint has now. */
  const openGate = ({ metadata } = authenticator): Gate =>
    gate({
      hosts: hostList({ host: settings.host, port: bound.port }, [
        ...settings.allowedHosts,
        ...publicHosts(authenticator),
      ]),
      origins: settings.allowedOrigins,
      places: {
        path: settings.path,
        metadata: metadata === undefined ? [] : metadataPaths(metadata.resource, settings.path),
        hasRoutes: app !== undefined,
      },
      authenticator,
      throttle: limits,
    });
  let checks = openGate();
  const standing = standingCallers({ isStillKnown: (proof) => checks.isStillKnown(proof), now, onError });
  authenticator.onChange(() => {
    checks = openGate();
    standing.recheck();
  });
  const services: HostServices = {
    options,
    settings,
    flights,
    standing,
    get metadata() {
      return authenticator.metadata;
    },
    app,
    onError,
    keysProblem: authenticator.problem,
    isDraining: () => closing !== undefined,
    get gate() {
      return checks;
    },
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void visit(services, request, response);
  // Whoever asks first whether it may send gets the refusal instead of the permission.
  server.on("request", listener).on("checkContinue", listener);
  server.on("clientError", refuseUnparsed(options.onAccess));
  if (options.upgrade !== undefined) server.on("upgrade", upgradeVia(services, sockets));

  const close = async (): Promise<void> => {
    await drain(options.mcp, flights, { drainMs: settings.drainMs, onError });
    await stop(server, sockets);
    // Sockets are told to close before their requests are told that they did.
    await landed(flights);
    await authenticator.close();
  };

  // A name may lead elsewhere than it says.
  const late = refuseOpenDoor(auth, bound.address);
  if (late !== undefined) {
    await stop(server, sockets);
    throw late;
  }
  return Object.freeze({
    url: `http://${inUrl(settings.host)}:${bound.port}${settings.path}`,
    port: bound.port,
    warnings: Object.freeze([...warningsOf(settings, options), ...keysWarning(authenticator)]),
    changeAuth: authenticator.change,
    close: () => (closing ??= close()),
  });
};

/** Serves MCP over HTTP, closed to everybody but who it is opened for. */
export const httpHost = async (options: HostOptions): Promise<HttpHost> => {
  const settings = readSettings(options);
  const refused = refuseOpenDoor(options.auth, settings.host);
  if (refused !== undefined) throw refused;
  const authenticator = await changingAuth(options.auth, options.now ?? Date.now);
  try {
    return await open(options, settings, authenticator);
  } catch (error) {
    await authenticator.close();
    throw error;
  }
};

/** A host whose issuer's keys cannot be had refuses everybody, so it says so before anybody comes. */
const keysWarning = ({ problem }: ChangingAuth): readonly string[] => {
  const what = problem();
  return what === undefined
    ? []
    : [`${what.message} Until then every caller gets 503; /readyz says when it is over.`];
};

const everywhere: ReadonlySet<string> = new Set(["0.0.0.0", "::", ""]);

/** What is allowed and still not well. */
const warningsOf = ({ host, allowedHosts }: HostSettings, { auth }: HostOptions): readonly string[] => {
  if (isLoopback(host)) return [];
  const warnings = [
    `Tokens to ${host} travel in the clear: this host speaks plain http. Put a proxy with TLS in front of it, and bind to 127.0.0.1 where it stands on the same machine.`,
  ];
  if (everywhere.has(host) && allowedHosts.length === 0 && auth.kind !== "jwt") {
    warnings.push(
      "Only requests to localhost are answered, because allowedHosts does not say under which names others reach this host.",
    );
  }
  return warnings;
};

/** What later rooms answer, behind all the checks of the host. Hono is loaded only where there is something. */
const mount = async (
  { routes }: HostOptions,
  onError: (error: unknown) => void,
): Promise<HostServices["app"]> => {
  if (routes === undefined) return undefined;
  const { Hono } = await import("hono");
  const app: Parameters<typeof routes>[0] = new Hono();
  app.notFound(() => toResponse(refusal(404, "not_found", "There is nothing here.")));
  app.onError((error) => {
    onError(error);
    return toResponse(broken());
  });
  routes(app);
  return async (request, principal) => app.fetch(request, { principal });
};

const reasons: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `/port ${port} on ${host} is in use. Stop the other program, or choose another port (0 takes any free one).`,
  EACCES: (_, port) => `/port ${port} may not be used by this user. Choose one from 1024.`,
  EADDRNOTAVAIL: (host) => `/host ${host} is no address of this machine. Use 127.0.0.1, or 0.0.0.0 for all.`,
  ENOTFOUND: (host) => `/host ${host} cannot be resolved. Use an address, such as 127.0.0.1.`,
};

/** Listens, or says in an operator's words why it cannot. */
const listen = (server: Server, { host, port }: HostSettings): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      const reason = reasons[error.code ?? ""]?.(host, port);
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

/** Without auth, whoever can connect may call. */
const refuseOpenDoor = (auth: HostAuth, host: string): ConfigurationError | undefined =>
  auth.kind !== "none" || isLoopback(host)
    ? undefined
    : new ConfigurationError(
        "invalid_config",
        `/auth is "none", but ${host} can be reached from other machines. Bind to 127.0.0.1, or give "tokens" or "jwt".`,
      );
