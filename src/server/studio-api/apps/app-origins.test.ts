import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { appConnectionAllowlist, appContentSecurityPolicy } from "./app-frame.ts";
import { parseAppOrigins } from "./app-origins.ts";

const own = ["studio.example", "apps.example"];
const studio = "https://studio.example";

describe("origins of an app", () => {
  it("are empty when none are declared", () => {
    for (const csp of [undefined, null, {}, [], "x", { connectDomains: undefined }]) {
      const { allowedOrigins, rejectedOrigins } = parseAppOrigins(csp, own);
      expect([allowedOrigins, rejectedOrigins]).toEqual([
        { connect: [], resource: [], frame: [], base: [] },
        [],
      ]);
      expect(appContentSecurityPolicy(allowedOrigins, studio)).toBe(
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; " +
          "font-src data:; media-src data: blob:; connect-src 'none'; worker-src blob:; frame-src 'none'; " +
          "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors https://studio.example",
      );
      expect(appConnectionAllowlist(allowedOrigins)).toBe("();webrtc=block;redirects=allow");
    }
  });

  it("are exactly the declared ones for each purpose", () => {
    const { allowedOrigins, rejectedOrigins } = parseAppOrigins(
      {
        connectDomains: ["https://api.weather.example", "wss://live.weather.example:8443"],
        resourceDomains: ["https://*.cdn.example", "HTTPS://Fonts.Example"],
        frameDomains: ["https://player.video.example"],
        baseUriDomains: ["https://cdn.example"],
      },
      own,
    );
    expect(rejectedOrigins).toEqual([]);
    const policy = appContentSecurityPolicy(allowedOrigins, studio);
    for (const part of [
      "connect-src https://api.weather.example wss://live.weather.example:8443;",
      "script-src 'unsafe-inline' https://*.cdn.example https://fonts.example;",
      "img-src data: blob: https://*.cdn.example https://fonts.example;",
      "frame-src https://player.video.example;",
      "base-uri https://cdn.example;",
    ]) {
      expect(policy).toContain(part);
    }
    expect(appConnectionAllowlist(allowedOrigins)).toContain('"wss://live.weather.example:8443"');
  });

  it("exclude everything that is not a plain origin", () => {
    const odd = [
      "*",
      "https:",
      "data:",
      "'self'",
      "'unsafe-eval'",
      "https://*",
      "https://*.",
      "https://a.test/path",
      "https://a.test;script-src *",
      "https://a.test https://b.test",
      "https://a.test\nx",
      'https://a.test"',
      "https://user@a.test",
      "javascript:alert(1)",
      "ftp://a.test",
      "https://[::1]",
      "https://a.test:*",
      `https://${"a".repeat(300)}.test`,
      7,
      null,
    ];
    for (const source of odd) {
      const { allowedOrigins, rejectedOrigins } = parseAppOrigins({ connectDomains: [source] }, own);
      expect([allowedOrigins.connect, rejectedOrigins.length], String(source)).toEqual([[], 1]);
    }
    expect(parseAppOrigins({ resourceDomains: ["wss://a.test"] }, own).allowedOrigins.resource).toEqual([]);
    const many = Array.from({ length: 30 }, (_, index) => `https://a${index}.test`);
    const { allowedOrigins, rejectedOrigins } = parseAppOrigins({ connectDomains: many }, own);
    expect([allowedOrigins.connect.length, rejectedOrigins]).toEqual([
      20,
      ["connectDomains has more than 20 origins."],
    ]);
    expect(parseAppOrigins({ connectDomains: "https://a.test" }, own).rejectedOrigins).toEqual([
      "connectDomains is not an array.",
    ]);
  });

  it("exclude this machine and the Studio in every spelling", () => {
    const here = [
      "http://localhost:7334",
      "http://LOCALHOST",
      "http://a.localhost",
      "http://*.localhost",
      "http://127.0.0.1:7334",
      "ws://127.0.0.1",
      "http://127.1",
      "http://2130706433",
      "http://0x7f.1",
      "http://0177.0.0.1",
      "http://0.0.0.0:7334",
      "http://0",
      "https://studio.example",
      "https://studio.example:8443",
      "https://*.example",
      "https://apps.example",
    ];
    for (const source of here) {
      expect(parseAppOrigins({ connectDomains: [source] }, own).allowedOrigins.connect, source).toEqual([]);
    }
    expect(
      parseAppOrigins({ connectDomains: ["https://*.other.example"] }, own).allowedOrigins.connect,
    ).toHaveLength(1);
  });

  it("add nothing else to a policy, whatever is declared", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { maxLength: 5 }), (sources) => {
        const { allowedOrigins } = parseAppOrigins(
          { connectDomains: sources.map((each) => `https://${each}`) },
          own,
        );
        const parts = appContentSecurityPolicy(allowedOrigins, studio).split("; ");
        expect(parts).toHaveLength(13);
        expect(parts[6]).toMatch(/^connect-src ('none'|https:\/\/[a-z0-9.*:-]+( https:\/\/[a-z0-9.*:-]+)*)$/);
      }),
      { seed: 47, numRuns: 500 },
    );
  });
});
