import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { HostOptions } from "../../src/server/host-options.ts";
import { mountMcp } from "../../src/server/mount-mcp.ts";
import { fakeServed } from "../kit/fake-served.ts";
import { type Door, isDoor, type Knock, type Taken, type Way, ways } from "../kit/gateway-doors.ts";
import { bearer, type HostScene, hostScene } from "../kit/host-scene.ts";
import { jwtAuthOf, keySet, type Signer, signer } from "../kit/jwt-scene.ts";

export const [one, two] = await Promise.all([signer("one"), signer("two")]);
export const ada = "ada-token-0123456789";
export const bob = "bob-token-0123456789";
export const tokensOf = (...tokens: readonly string[]) =>
  ({
    kind: "tokens",
    tokens: tokens.map((token) => ({ token, principal: { agent: token.slice(0, 3) } })),
  }) as const;
const auth = tokensOf(ada, bob);

export interface Scene {
  readonly way: Way;
  readonly host: HostScene;
  /** Moves the host's clock. */
  readonly pass: (ms: number) => void;
  readonly knock: (knock?: Knock) => Promise<Door | Taken>;
  /** Somebody who must be let in. */
  readonly enter: (knock?: Knock) => Promise<Door>;
  /** Comes, and calls once if let in. */
  readonly visit: (knock?: Knock) => Promise<Taken>;
  /** Lets calls of the tool `wait` end, and says how many are under way. */
  readonly letGo: () => void;
  readonly underWay: () => number;
}

export type Options = (way: Way) => Partial<HostOptions> | Promise<Partial<HostOptions>>;

export const open = async (way: Way, options: Options): Promise<Scene> => {
  let at = Date.now();
  const held: (() => void)[] = [];
  const fake = fakeServed({
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
  const knock = (shown: Knock = { headers: bearer(ada) }) => way.open(host, shown);
  const enter = async (shown?: Knock): Promise<Door> => {
    const door = await knock(shown);
    if (!isDoor(door)) throw new Error(`not let in: ${door.status} ${door.error}`);
    return door;
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
      const door = await knock(shown);
      return isDoor(door) ? door.send() : door;
    },
    letGo: () => {
      for (const end of held.splice(0)) end();
    },
    underWay: () => held.length,
  };
};

/** Shows whatever keys it is told to, and counts how often it is asked. */
export const keyServer = async (...signers: readonly Signer[]) => {
  const state = { signers, isUp: true, asked: 0 };
  const server = createServer((_, response) => {
    state.asked += 1;
    response.writeHead(state.isUp ? 200 : 500).end(JSON.stringify(keySet(...state.signers)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { state, place, auth: jwtAuthOf(`http://${place}/keys`, { allow: [place] }) };
};

/** One row: what a caller does, and how it is taken over every way in. */
export interface Case {
  readonly what: string;
  readonly options?: Options;
  /** What a caller shows; by itself, how it is taken is what counts. */
  readonly shows?: Knock | ((host: HostScene) => Knock | Promise<Knock>);
  readonly play?: (scene: Scene) => Promise<readonly Taken[]>;
  readonly taken: readonly (readonly [status: number, error?: string])[];
}

/** Somebody who must be let in with this token. */
export const enter = async (way: Way, host: HostScene, token: string): Promise<Door> => {
  const door = await way.open(host, { headers: bearer(token) });
  if (!isDoor(door)) throw new Error(`not let in: ${door.status} ${door.error}`);
  return door;
};

/** Ways in that stay open. */
export const lasting = ways.filter(({ name }) => name !== "HTTP");

/** Sockets end with a code before their reason; streams have none. */
export const codeFor = (name: Way["name"], code: number): string => (name === "SSE" ? "" : `${code} `);
