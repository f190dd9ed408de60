import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { AccessLine, HostOptions } from "../../src/server/host-options.ts";
import { mountMcp } from "../../src/server/mount-mcp.ts";
import { fakeServed } from "../kit/fake-served.ts";
import { type Door, isDoor, type Knock, type Taken, type Way, ways } from "../kit/gateway-doors.ts";
import { bearer, type HostScene, hostScene } from "../kit/host-scene.ts";
import { audience, jwtAuthOf, keySet, type Signer, signer } from "../kit/jwt-scene.ts";

const [one, two] = await Promise.all([signer("one"), signer("two")]);
const ada = "ada-token-0123456789";
const bob = "bob-token-0123456789";
const tokensOf = (...tokens: readonly string[]) =>
  ({
    kind: "tokens",
    tokens: tokens.map((token) => ({ token, principal: { agent: token.slice(0, 3) } })),
  }) as const;
const auth = tokensOf(ada, bob);

const patience = { timeout: 60_000 };

interface Scene {
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

type Options = (way: Way) => Partial<HostOptions> | Promise<Partial<HostOptions>>;

const open = async (way: Way, options: Options): Promise<Scene> => {
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

interface Case {
  readonly what: string;
  readonly options?: Options;
  /** What a caller shows; by itself, how it is taken is what counts. */
  readonly shows?: Knock | ((host: HostScene) => Knock | Promise<Knock>);
  readonly play?: (scene: Scene) => Promise<readonly Taken[]>;
  readonly taken: readonly (readonly [status: number, error?: string])[];
}

const jwt: Options = () => ({ auth: jwtAuthOf(keySet(one), { requiredScopes: ["admin"] }) });
const good = { scope: "admin" };
const shows = async (token: Promise<string>): Promise<Knock> => ({ headers: bearer(await token) });
const seconds = (): number => Math.floor(Date.now() / 1000);
const rated =
  (burst: number, perMinute = 60): Options =>
  ({ opening }) => ({ rate: { perMinute, burst: burst + opening } });

/** Shows whatever keys it is told to. */
const keyServer = async (...signers: readonly Signer[]) => {
  const state = { signers, isUp: true };
  const server = createServer((_, response) => {
    response.writeHead(state.isUp ? 200 : 500).end(JSON.stringify(keySet(...state.signers)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { state, auth: jwtAuthOf(`http://${place}/keys`, { allow: [place] }) };
};

const tokens: readonly Case[] = [
  { what: "no token", shows: {}, taken: [[401, "unauthorized"]] },
  { what: "a known token", taken: [[200]] },
  {
    what: "an unknown token",
    shows: { headers: bearer("eve-token-0123456789") },
    taken: [[401, "invalid_token"]],
  },
  { what: "a token no token looks like", shows: { headers: bearer("a b") }, taken: [[401, "invalid_token"]] },
  {
    what: "another scheme",
    shows: { headers: { authorization: "Basic YTpi" } },
    taken: [[401, "unauthorized"]],
  },
  {
    what: "a token in the query",
    shows: { path: `/mcp?access_token=${ada}` },
    taken: [[400, "invalid_request"]],
  },
  {
    what: "two tokens",
    shows: { headers: { authorization: [`Bearer ${ada}`, `Bearer ${bob}`] } },
    taken: [[400, "invalid_request"]],
  },
  { what: "a good JWT", options: jwt, shows: () => shows(one.sign(good)), taken: [[200]] },
  {
    what: "an expired JWT",
    options: jwt,
    shows: () => shows(one.sign({ ...good, exp: seconds() - 1 })),
    taken: [[401, "invalid_token"]],
  },
  {
    what: "a JWT that is not valid yet",
    options: jwt,
    shows: () => shows(one.sign({ ...good, nbf: seconds() + 60 })),
    taken: [[401, "invalid_token"]],
  },
  {
    what: "a JWT without an end",
    options: jwt,
    shows: () => shows(one.sign({ ...good, exp: undefined })),
    taken: [[401, "invalid_token"]],
  },
  {
    what: "a JWT for another audience",
    options: jwt,
    shows: () => shows(one.sign({ ...good, aud: `${audience}/other` })),
    taken: [[401, "invalid_token"]],
  },
  {
    what: "a JWT of another issuer",
    options: jwt,
    shows: () => shows(one.sign({ ...good, iss: "https://evil.example.com" })),
    taken: [[401, "invalid_token"]],
  },
  {
    what: "a JWT under an unknown key",
    options: jwt,
    shows: () => shows(two.sign(good)),
    taken: [[401, "invalid_token"]],
  },
  {
    what: "a JWT without a required scope",
    options: jwt,
    shows: () => shows(one.sign({ scope: "mail.read" })),
    taken: [[403, "insufficient_scope"]],
  },
  {
    what: "a JWT whose keys cannot be had",
    options: async () => {
      const { state, auth: remote } = await keyServer(one);
      state.isUp = false;
      return { auth: remote };
    },
    shows: () => shows(one.sign(good)),
    taken: [[503, "keys_unavailable"]],
  },
  {
    what: "a JWT that ends between two messages",
    options: jwt,
    play: async ({ enter, pass }) => {
      const door = await enter(await shows(one.sign(good)));
      const before = await door.send();
      pass(61_000);
      return [before, await door.send()];
    },
    taken: [[200], [401, "invalid_token"]],
  },
  {
    what: "a JWT whose key left the set, once the set was read again",
    options: async () => {
      const { state, auth: remote } = await keyServer(one);
      keys = state;
      return { auth: remote };
    },
    play: async ({ enter, visit, pass }) => {
      const door = await enter(await shows(one.sign(good)));
      const before = await door.send();
      keys.signers = [two];
      pass(31_000);
      // A token under a new key makes the host read the set again.
      const other = await visit(await shows(two.sign(good)));
      return [before, other, await door.send()];
    },
    taken: [[200], [200], [401, "invalid_token"]],
  },
  {
    what: "a token that was taken back",
    play: async ({ enter, host }) => {
      const door = await enter();
      const before = await door.send();
      const other = await enter({ headers: bearer(bob) });
      await host.changeAuth(tokensOf(bob));
      return [before, await door.send(), await other.send()];
    },
    taken: [[200], [401, "invalid_token"], [200]],
  },
];

let keys: { signers: readonly Signer[] };

const origins: readonly Case[] = [
  {
    what: "a foreign host",
    shows: { headers: { ...bearer(ada), host: "evil.example" } },
    taken: [[403, "forbidden_host"]],
  },
  {
    what: "a listed host",
    options: () => ({ allowedHosts: ["mcp.example.com"] }),
    shows: { headers: { ...bearer(ada), host: "mcp.example.com" } },
    taken: [[200]],
  },
  {
    what: "a page of a foreign origin",
    shows: { headers: { ...bearer(ada), origin: "https://evil.example" } },
    taken: [[403, "forbidden_origin"]],
  },
  {
    what: "a page without an origin of its own",
    shows: { headers: { ...bearer(ada), origin: "null" } },
    taken: [[403, "forbidden_origin"]],
  },
  {
    what: "a page of a listed origin",
    options: () => ({ allowedOrigins: ["https://app.example"] }),
    shows: { headers: { ...bearer(ada), origin: "https://app.example" } },
    taken: [[200]],
  },
  {
    what: "a page of the host itself",
    shows: ({ port }) => ({ headers: { ...bearer(ada), origin: `http://127.0.0.1:${port}` } }),
    taken: [[200]],
  },
  {
    what: "a foreign page that leaves its origin out",
    shows: { headers: { ...bearer(ada), "sec-fetch-site": "cross-site" } },
    taken: [[403, "forbidden_origin"]],
  },
  {
    what: "another path",
    shows: { headers: bearer(ada), path: "/other" },
    taken: [[404, "not_found"]],
  },
];

const limits: readonly Case[] = [
  {
    what: "more messages at once than the burst",
    options: rated(3),
    play: async ({ enter }) => {
      const door = await enter();
      return [await door.send(), await door.send(), await door.send(), await door.send()];
    },
    taken: [[200], [200], [200], [429, "too_many_requests"]],
  },
  {
    what: "a sixth of what a minute allows at once, unless a burst is set",
    options: ({ opening }) => ({ rate: { perMinute: 12 + 6 * opening } }),
    play: async ({ enter }) => {
      const door = await enter();
      return [await door.send(), await door.send(), await door.send()];
    },
    taken: [[200], [200], [429, "too_many_requests"]],
  },
  {
    what: "a message after the time that one takes",
    options: rated(1),
    play: async ({ enter, pass }) => {
      const door = await enter();
      const first = [await door.send(), await door.send()];
      pass(1_000);
      return [...first, await door.send()];
    },
    taken: [[200], [429, "too_many_requests"], [200]],
  },
  {
    what: "another caller while the first is over its rate",
    options: rated(1),
    play: async ({ enter }) => {
      const [mine, others] = [await enter(), await enter({ headers: bearer(bob) })];
      return [await mine.send(), await mine.send(), await others.send()];
    },
    taken: [[200], [429, "too_many_requests"], [200]],
  },
  {
    what: "a caller whose rate went over another way in",
    options: rated(2),
    play: async ({ enter, host }) => {
      const door = await enter();
      const before = await ways[0]!.open(host, { headers: bearer(ada) });
      const all = [];
      for (let count = 0; count < 2; count++) all.push(await (before as Door).send());
      return [...all, await door.send()];
    },
    taken: [[200], [200], [429, "too_many_requests"]],
  },
  {
    what: "an address that failed too often",
    options: () => ({ rate: { failuresPerMinute: 1, failureBurst: 2 } }),
    play: async ({ visit }) => [await visit({}), await visit({}), await visit({})],
    taken: [
      [401, "unauthorized"],
      [401, "unauthorized"],
      [429, "too_many_requests"],
    ],
  },
  {
    what: "a message of as many bytes as there may be",
    options: () => ({ maxBodyBytes: 2_000 }),
    play: async ({ enter }) => [await (await enter()).send({ bytes: 2_000 })],
    taken: [[200]],
  },
  {
    what: "a message of one byte more",
    options: () => ({ maxBodyBytes: 2_000 }),
    play: async ({ enter }) => [await (await enter()).send({ bytes: 2_001 })],
    taken: [[413, "body_too_large"]],
  },
  {
    what: "a message that is larger than is usual, where that is allowed",
    options: () => ({ maxBodyBytes: 6 * 1024 * 1024 }),
    play: async ({ enter }) => [await (await enter()).send({ bytes: 5 * 1024 * 1024 })],
    taken: [[200]],
  },
  {
    what: "more calls under way than there may be, and one after another ended",
    options: ({ places }) => ({
      auth: { kind: "none", principal: { agent: "ada" } },
      maxConcurrent: 2 + places,
    }),
    play: async ({ enter, letGo, underWay }) => {
      const door = await enter();
      const running = [door.send({ tool: "wait" }), door.send({ tool: "wait" })];
      await expect.poll(underWay, { timeout: 20_000 }).toBe(2);
      const third = await door.send();
      letGo();
      return [third, ...(await Promise.all(running)), await door.send()];
    },
    taken: [[503, "too_many_at_once"], [200], [200], [200]],
  },
  {
    what: "a caller with three quarters of all places, and another one",
    options: () => ({ maxConcurrent: 8 }),
    play: async ({ enter, letGo, underWay, way }) => {
      const [mine, others] = [await enter(), await enter({ headers: bearer(bob) })];
      const most = 6 - way.places;
      const running = Array.from({ length: most }, () => mine.send({ tool: "wait" }));
      await expect.poll(underWay, { timeout: 20_000 }).toBe(most);
      const told = [await mine.send(), await others.send()];
      letGo();
      await Promise.all(running);
      return told;
    },
    taken: [[503, "too_many_at_once"], [200]],
  },
  {
    what: "a message while the host closes",
    options: () => ({ drainMs: 20_000 }),
    play: async ({ enter, host, letGo, underWay }) => {
      const door = await enter();
      const running = door.send({ tool: "wait" });
      await expect.poll(underWay, { timeout: 20_000 }).toBe(1);
      const closed = host.close();
      const late = await door.send();
      letGo();
      const told = [late, await running];
      await closed;
      return told;
    },
    taken: [[503, "draining"], [200]],
  },
];

const table = [...tokens, ...origins, ...limits];

test("the table has each case once", () => {
  expect(new Set(table.map(({ what }) => what)).size).toBe(table.length);
  expect(table.length).toBeGreaterThanOrEqual(30);
});

/** A socket that is closed over a message is in the log by the code of its end. */
const says = ({ status, method, transport }: AccessLine, taken: number): boolean =>
  status === taken || (transport === "websocket" && method === "close" && closeCodes[taken] === status);
const closeCodes: Readonly<Record<number, number>> = { 401: 1008, 413: 1009 };

describe.each(ways)("over $name", (way) => {
  test.each(table)("$what is taken as over every other way in, and is in the log", patience, async (row) => {
    const scene = await open(way, row.options ?? (() => ({})));
    const shown = typeof row.shows === "function" ? await row.shows(scene.host) : row.shows;
    const taken = row.play === undefined ? [await scene.visit(shown)] : await row.play(scene);
    expect(taken.map(({ status, error }) => (error === undefined ? [status] : [status, error]))).toEqual(
      row.taken,
    );
    for (const { status } of taken) {
      const isLogged = () => scene.host.lines.some((line) => says(line, status));
      await expect.poll(isLogged, { timeout: 20_000 }).toBe(true);
    }
    expect(scene.host.errors).toEqual([]);
  });
});
