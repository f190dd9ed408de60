import { createRequire } from "node:module";
import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import { openHttpEgress } from "../http/open-http-egress.ts";

// Runs in its own file because no request may have been sent in this thread before.
it("openHttpEgress loads undici and ipaddr.js with the first request", () =>
  Effect.gen(function* () {
    const { cache } = createRequire(import.meta.url);
    const isLoaded = (name: string) =>
      Object.keys(cache).some((path) => path.includes(`/node_modules/${name}/`));
    const client = yield* openHttpEgress();
    expect(isLoaded("undici") || isLoaded("ipaddr.js")).toBe(false);
    yield* Effect.flip(client.request({ url: "http://127.0.0.1/" }));
    expect(isLoaded("undici") && isLoaded("ipaddr.js")).toBe(true);
  }).pipe(Effect.scoped, Effect.runPromise));
