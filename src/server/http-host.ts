import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type ChangingAuth, changingAuth } from "./auth/changing-auth.ts";
import type { Authenticator } from "./auth/host-auth.ts";
import { metadataPaths } from "./auth/jwt-options.ts";
import { refuseOpenDoor } from "./auth/open-auth.ts";
import { maxHeaders } from "./checks/headers.ts";
import { hostList } from "./checks/host-header.ts";
import { gate } from "./gate.ts";
import type { HostOptions, HttpHost } from "./host-options.ts";
import { drain, landed } from "./life/drain.ts";
import { flights as openFlights } from "./life/flights.ts";
import { listen } from "./life/listen.ts";
import { throttle } from "./limits/throttle.ts";
import { inUrl } from "./loopback.ts";
import { readSettings, type Settings } from "./settings.ts";
import type { House } from "./visit/house.ts";
import { mount } from "./visit/mount.ts";
import { upgradeVia } from "./visit/upgrade.ts";
import { visit } from "./visit/visit.ts";
import { warningsOf } from "./warnings.ts";

const openServer = ({ bodyTimeoutMs, maxConcurrent }: Settings): Server => {
  const server = createServer({
    headersTimeout: 10_000,
    // The last resort: a body has its own, shorter time, and a better answer.
    requestTimeout: bodyTimeoutMs + 15_000,
    connectionsCheckingInterval: 2_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16 * 1024,
  });
  server.maxHeadersCount = maxHeaders;
  server.maxConnections = maxConcurrent * 2 + 64;
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
  settings: Settings,
  authenticator: ChangingAuth,
): Promise<HttpHost> => {
  const { auth, now = Date.now, onError = () => {} } = options;
  const { metadata } = authenticator;
  const rate = options.rate ?? (auth.kind === "none" ? false : {});
  const limits = throttle(rate, now);
  const app = await mount(options, onError);
  const server = openServer(settings);
  const bound = await listen(server, settings);
  const sockets = new Set<Duplex>();
  const flights = openFlights();
  let closing: Promise<void> | undefined;

  const house: House = {
    options,
    settings,
    flights,
    metadata,
    app,
    onError,
    isDraining: () => closing !== undefined,
    gate: gate({
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
    }),
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void visit(house, request, response);
  // Whoever asks first whether it may send gets the refusal instead of the permission.
  server.on("request", listener).on("checkContinue", listener);
  if (options.upgrade !== undefined) server.on("upgrade", upgradeVia(house, sockets));

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
    warnings: Object.freeze(warningsOf(settings, options)),
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
