import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bearer, hostScene, sendRawRequest } from "../../../test/kit/host-scene.ts";
import { addressKeyOf, createThrottle, createTokenBuckets } from "./throttle.ts";

const principal = { agent: "ada" };
const auth = {
  kind: "tokens",
  tokens: [
    { token: "ada-token-0123456789", principal },
    { token: "bob-token-0123456789", principal: { agent: "bob" } },
  ],
} as const;

describe("token bucket", () => {
  test("gives a burst at once and then the rate", () => {
    let at = 0;
    const limit = createTokenBuckets({ perMinute: 60, burst: 3, now: () => at });
    expect([1, 2, 3, 4].map(() => limit.take("a"))).toEqual([0, 0, 0, 1000]);
    expect(limit.take("b")).toBe(0);
    at = 400;
    expect(limit.wait("a")).toBe(600);
    at = 1000;
    expect([limit.take("a"), limit.take("a")]).toEqual([0, 1000]);
    at = -5000;
    expect(limit.take("a")).toBe(1000);
  });

  test("never gives more than burst and rate together", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5_000), { maxLength: 200 }), (steps) => {
        let at = 0;
        const limit = createTokenBuckets({ perMinute: 120, burst: 5, now: () => at });
        let given = 0;
        for (const step of steps) {
          at += step;
          if (limit.take("a") === 0) given += 1;
        }
        expect(given).toBeLessThanOrEqual(5 + (at * 120) / 60_000);
      }),
    );
  });

  test("drops the least recently used key when there are too many", () => {
    const limit = createTokenBuckets({ perMinute: 1, burst: 1, now: () => 0, maxKeys: 2 });
    for (const key of ["a", "b", "a", "c"]) limit.take(key);
    expect([limit.wait("b"), limit.wait("a") > 0, limit.wait("c") > 0]).toEqual([0, true, true]);
  });
});

test("groups IPv6 addresses by network", () => {
  expect(addressKeyOf("192.0.2.7")).toBe("192.0.2.7");
  expect(addressKeyOf("::ffff:192.0.2.7")).toBe("192.0.2.7");
  expect(addressKeyOf("2001:db8:0:1::5")).toBe("2001:db8:0:1");
  expect(addressKeyOf("2001:db8:0:1:ffff:1:2:3")).toBe("2001:db8:0:1");
  expect(addressKeyOf("fe80::1%eth0")).toBe("fe80:0:0:0");
  expect(addressKeyOf("::1")).toBe("0:0:0:0");
  expect(addressKeyOf(undefined)).toBe("");
});

describe("rate limit of a host", () => {
  test("slows one caller down with retry-after and not another", async () => {
    let at = 1_000_000;
    const host = await hostScene({ auth, rate: { perMinute: 6, burst: 2 }, now: () => at });
    const call = async (who: string) => {
      const { status, headers } = await sendRawRequest(host, { headers: bearer(`${who}-token-0123456789`) });
      return [status, headers["retry-after"]];
    };
    expect(await call("ada")).toEqual([200, undefined]);
    expect(await call("ada")).toEqual([200, undefined]);
    expect(await call("ada")).toEqual([429, "10"]);
    expect(await call("bob")).toEqual([200, undefined]);
    expect(host.seen).toHaveLength(3);
    at += 10_000;
    expect(await call("ada")).toEqual([200, undefined]);
  });

  test("refuses an address after failed tokens, but not a valid token from it", async () => {
    const host = await hostScene({ auth, rate: { failuresPerMinute: 1, failureBurst: 2 }, now: () => 0 });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++)
      statuses.push(
        (await sendRawRequest(host, { headers: bearer(`wrong-token-012345678${count}`) })).status,
      );
    expect(statuses).toEqual([401, 401, 429, 429]);
    expect((await sendRawRequest(host, { headers: bearer("ada-token-0123456789") })).status).toBe(200);
  });

  test("refuses another machine after too many failures without reading its token", () => {
    const limits = createThrottle({ failuresPerMinute: 1, failureBurst: 1 }, () => 0);
    limits.checkAddress("203.0.113.9");
    limits.countFailure("203.0.113.9");
    expect(() => limits.checkAddress("203.0.113.9")).toThrow(
      expect.objectContaining({ status: 429, headers: { "retry-after": "60" } }),
    );
    limits.checkAddress("203.0.113.8");
    limits.countFailure("127.0.0.1");
    limits.checkAddress("127.0.0.1");
  });

  test.each([{ perMinute: 0 }, { burst: Number.NaN }, { failuresPerMinute: -1 }])(
    "is refused as %j",
    (rate) => {
      expect(() => createThrottle(rate, Date.now)).toThrow("/rate/");
    },
  );
});
