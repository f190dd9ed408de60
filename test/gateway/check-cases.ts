import { expect } from "vitest";
import { connectionTypes, type GatewayConnection } from "../kit/gateway-connections.ts";
import { bearer } from "../kit/host-scene.ts";
import { waitFor } from "../kit/wait-for.ts";
import { type AccessCase, adaToken, bobToken, type HostOptionsFor } from "./access-scene.ts";
import { tokenCases } from "./token-cases.ts";

const withRateLimit =
  (burst: number, perMinute = 60): HostOptionsFor =>
  ({ opening }) => ({ rate: { perMinute, burst: burst + opening } });

const origins: readonly AccessCase[] = [
  {
    what: "a foreign host",
    shows: { headers: { ...bearer(adaToken), host: "evil.example" } },
    taken: [[403, "forbidden_host"]],
  },
  {
    what: "a listed host",
    options: () => ({ allowedHosts: ["mcp.example.com"] }),
    shows: { headers: { ...bearer(adaToken), host: "mcp.example.com" } },
    taken: [[200]],
  },
  {
    what: "a page of a foreign origin",
    shows: { headers: { ...bearer(adaToken), origin: "https://evil.example" } },
    taken: [[403, "forbidden_origin"]],
  },
  {
    what: "a page without an origin of its own",
    shows: { headers: { ...bearer(adaToken), origin: "null" } },
    taken: [[403, "forbidden_origin"]],
  },
  {
    what: "a page of a listed origin",
    options: () => ({ allowedOrigins: ["https://app.example"] }),
    shows: { headers: { ...bearer(adaToken), origin: "https://app.example" } },
    taken: [[200]],
  },
  {
    what: "a page of the host itself",
    shows: ({ port }) => ({ headers: { ...bearer(adaToken), origin: `http://127.0.0.1:${port}` } }),
    taken: [[200]],
  },
  {
    what: "a foreign page that leaves its origin out",
    shows: { headers: { ...bearer(adaToken), "sec-fetch-site": "cross-site" } },
    taken: [[403, "forbidden_origin"]],
  },
  {
    what: "another path",
    shows: { headers: bearer(adaToken), path: "/other" },
    taken: [[404, "not_found"]],
  },
];

const limits: readonly AccessCase[] = [
  {
    what: "more messages at once than the burst",
    options: withRateLimit(3),
    play: async ({ enter }) => {
      const connection = await enter();
      return [
        await connection.send(),
        await connection.send(),
        await connection.send(),
        await connection.send(),
      ];
    },
    taken: [[200], [200], [200], [429, "too_many_requests"]],
  },
  {
    what: "a sixth of what a minute allows at once, unless a burst is set",
    options: ({ opening }) => ({ rate: { perMinute: 12 + 6 * opening } }),
    play: async ({ enter }) => {
      const connection = await enter();
      return [await connection.send(), await connection.send(), await connection.send()];
    },
    taken: [[200], [200], [429, "too_many_requests"]],
  },
  {
    what: "a message after the time that one takes",
    options: withRateLimit(1),
    play: async ({ enter, pass }) => {
      const connection = await enter();
      const first = [await connection.send(), await connection.send()];
      pass(1_000);
      return [...first, await connection.send()];
    },
    taken: [[200], [429, "too_many_requests"], [200]],
  },
  {
    what: "another caller while the first is over its rate",
    options: withRateLimit(1),
    play: async ({ enter }) => {
      const [mine, others] = [await enter(), await enter({ headers: bearer(bobToken) })];
      return [await mine.send(), await mine.send(), await others.send()];
    },
    taken: [[200], [429, "too_many_requests"], [200]],
  },
  {
    what: "a caller whose rate went over another way in",
    options: withRateLimit(2),
    play: async ({ enter, host }) => {
      const connection = await enter();
      const before = await connectionTypes[0]!.open(host, { headers: bearer(adaToken) });
      const all = [];
      for (let count = 0; count < 2; count++) all.push(await (before as GatewayConnection).send());
      return [...all, await connection.send()];
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
    options: () => ({ auth: { kind: "none", principal: { agent: "ada" } }, maxConcurrent: 2 }),
    play: async ({ enter, letGo, underWay }) => {
      const connection = await enter();
      const running = [connection.send({ tool: "wait" }), connection.send({ tool: "wait" })];
      await waitFor(async () => expect(await underWay()).toBe(2));
      const third = await connection.send();
      letGo();
      return [third, ...(await Promise.all(running)), await connection.send()];
    },
    taken: [[503, "too_many_at_once"], [200], [200], [200]],
  },
  {
    what: "a caller with three quarters of all places, and another one",
    options: () => ({ maxConcurrent: 8 }),
    play: async ({ enter, letGo, underWay }) => {
      const [mine, others] = [await enter(), await enter({ headers: bearer(bobToken) })];
      const running = Array.from({ length: 6 }, () => mine.send({ tool: "wait" }));
      await waitFor(async () => expect(await underWay()).toBe(6));
      const reported = [await mine.send(), await others.send()];
      letGo();
      await Promise.all(running);
      return reported;
    },
    taken: [[503, "too_many_at_once"], [200]],
  },
  {
    what: "a message while the host closes",
    options: () => ({ drainMs: 20_000 }),
    play: async ({ enter, host, letGo, underWay }) => {
      const connection = await enter();
      const running = connection.send({ tool: "wait" });
      await waitFor(async () => expect(await underWay()).toBe(1));
      const closed = host.close();
      const late = await connection.send();
      letGo();
      const reported = [late, await running];
      await closed;
      return reported;
    },
    taken: [[503, "draining"], [200]],
  },
];

/** All cases of tokens, origins and limits. */
export const accessCases: readonly AccessCase[] = [...tokenCases, ...origins, ...limits];
