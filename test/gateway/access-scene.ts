import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { HostOptions } from "../../src/server/http/host-options.ts";
import { mountMcp } from "../../src/server/http/mount-mcp.ts";
import { fakeGatewayBackend } from "../kit/fake-gateway-backend.ts";
import {
  type ConnectionType,
  type ConnectRequest,
  connectionTypes,
  type GatewayConnection,
  isConnection,
  type MessageResult,
} from "../kit/gateway-connections.ts";
import { bearer, type HostScene, hostScene } from "../kit/host-scene.ts";
import { createTokenSigner, jwtAuthOf, type TokenSigner, toKeySet } from "../kit/jwt-scene.ts";

export const [firstSigner, secondSigner] = await Promise.all([
  createTokenSigner("one"),
  createTokenSigner("two"),
]);
export const adaToken = "ada-token-0123456789";
export const bobToken = "bob-token-0123456789";
export const tokenAuthOf = (...tokens: readonly string[]) =>
  ({
    kind: "tokens",
    tokens: tokens.map((token) => ({ token, principal: { agent: token.slice(0, 3) } })),
  }) as const;
const auth = tokenAuthOf(adaToken, bobToken);

export interface AccessScene {
  readonly way: ConnectionType;
  readonly host: HostScene;
  /** Moves the host's clock. */
  readonly pass: (ms: number) => void;
  readonly knock: (knock?: ConnectRequest) => Promise<GatewayConnection | MessageResult>;
  /** Connects and must be accepted. */
  readonly enter: (knock?: ConnectRequest) => Promise<GatewayConnection>;
  /** Connects, and calls once if accepted. */
  readonly visit: (knock?: ConnectRequest) => Promise<MessageResult>;
  /** Ends the running calls of the tool `wait`. `underWay` counts them. */
  readonly letGo: () => void;
  readonly underWay: () => number;
}

export type HostOptionsFor = (way: ConnectionType) => Partial<HostOptions> | Promise<Partial<HostOptions>>;

export const openAccessScene = async (way: ConnectionType, options: HostOptionsFor): Promise<AccessScene> => {
  let at = Date.now();
  const held: (() => void)[] = [];
  const fake = fakeGatewayBackend({
    runs: {
      say: () => "said",
      tell: ({ id }) => {
        fake.progress(id, { progress: 1 });
        return "told";
      },
      wait: () => new Promise((resolve) => held.push(() => resolve("waited"))),
    },
  });
  const given = await options(way);
  const { maxBodyBytes } = given;
  const mounted = mountMcp(fake.served, maxBodyBytes === undefined ? {} : { maxBodyBytes });
  const host = await hostScene({ auth, ...mounted, now: () => at, ...given });
  const knock = (shown: ConnectRequest = { headers: bearer(adaToken) }) => way.open(host, shown);
  const enter = async (shown?: ConnectRequest): Promise<GatewayConnection> => {
    const connection = await knock(shown);
    if (!isConnection(connection)) throw new Error(`rejected: ${connection.status} ${connection.error}`);
    return connection;
  };
  return {
    way,
    host,
    pass: (ms) => {
      at += ms;
    },
    knock,
    enter,
    visit: async (shown) => {
      const connection = await knock(shown);
      return isConnection(connection) ? connection.send() : connection;
    },
    letGo: () => {
      for (const end of held.splice(0)) end();
    },
    underWay: () => held.length,
  };
};

/** Serves the key set of the given signers, and counts requests for it. */
export const startKeyServer = async (...signers: readonly TokenSigner[]) => {
  const state = { signers, isUp: true, asked: 0 };
  const server = createServer((_, response) => {
    state.asked += 1;
    response.writeHead(state.isUp ? 200 : 500).end(JSON.stringify(toKeySet(...state.signers)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { state, place, auth: jwtAuthOf(`http://${place}/keys`, { allow: [place] }) };
};

/** One case: what a client does, and the expected results on every transport. */
export interface AccessCase {
  readonly what: string;
  readonly options?: HostOptionsFor;
  /** The credentials of a client. Without `play`, only the result of the connection is checked. */
  readonly shows?: ConnectRequest | ((host: HostScene) => ConnectRequest | Promise<ConnectRequest>);
  readonly play?: (scene: AccessScene) => Promise<readonly MessageResult[]>;
  readonly taken: readonly (readonly [status: number, error?: string])[];
}

/** Connects with this token and must be accepted. */
export const connectWithToken = async (
  way: ConnectionType,
  host: HostScene,
  token: string,
): Promise<GatewayConnection> => {
  const connection = await way.open(host, { headers: bearer(token) });
  if (!isConnection(connection)) throw new Error(`rejected: ${connection.status} ${connection.error}`);
  return connection;
};

/** Transports with connections that stay open. */
export const longLivedTransports = connectionTypes.filter(({ name }) => name !== "HTTP");

/** Sockets close with a code before their reason; streams have no code. */
export const closeCodePrefix = (name: ConnectionType["name"], code: number): string =>
  name === "SSE" ? "" : `${code} `;
