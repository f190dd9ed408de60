// Credentials: secrets from a file and a command, and OAuth tokens that belong to callers.
//#region tools
import assert from "node:assert/strict";
import * as Effect from "effect/Effect";
import { Haft, http, tool } from "haft";
import { Credentials } from "haft/effect";
//#endregion
import { service } from "./service.ts";

//#region tools

const calendar = process.env.CALENDAR_URL ?? "https://calendar.example.com";

const agenda = tool({
  name: "agenda",
  description: "What is in the caller's calendar",
  input: { type: "object", properties: {} } as const,
  annotations: { readOnly: true },
  // The caller's own token, refreshed in time, and once more after a 401.
  implementation: http({ url: `${calendar}/events`, auth: { kind: "oauth", credential: "calendar" } }),
});

const vault = tool({
  name: "vault",
  description: "Whether the deploy key is there",
  input: { type: "object", properties: {} } as const,
  annotations: { readOnly: true },
  run: () =>
    Effect.gen(function* () {
      const { secret } = yield* Credentials;
      const key = yield* secret("deploy-key"); // Redacted: it prints as <redacted:deploy-key>
      return { key: String(key) };
    }),
});
//#endregion

//#region open
const haft = await Haft.open({
  tools: [agenda, vault],
  principal: { agent: "assistant", user: "ada", allow: ["*"] },
  httpEgress: { allow: [new URL(calendar).host] }, // only for a private network or this machine
  credentials: {
    env: "HAFT_SECRET_", // the secret `deploy-key` may be in HAFT_SECRET_DEPLOY_KEY
    file: { "calendar-client": "./calendar-client" }, // readable only by its owner
    command: { argv: { "deploy-key": [process.execPath, "-p", "'k3y-of-the-vault'"] } }, // runs without a shell
    oauth: {
      calendar: {
        grant: "authorization_code",
        clientId: "assistant",
        clientSecret: "calendar-client", // the name of a secret
        authorizationUrl: `${calendar}/authorize`,
        tokenUrl: `${calendar}/token`,
        redirectUrl: "http://127.0.0.1:3000/callback",
        scopes: ["events.read"],
      },
    },
    tokens: "./tokens", // in files; the default is memory
  },
});
//#endregion
assert.deepEqual(await haft.call("vault", {}), { key: "<redacted:deploy-key>" });

//#region sign-in
await assert.rejects(haft.call("agenda", {}), /must sign in/);
const { url, state } = await haft.beginSignIn("calendar"); // redirect the user to this URL
assert.equal(new URL(url).searchParams.get("code_challenge_method"), "S256");
// …and when the user returns to redirectUrl:
await haft.finishSignIn({ state, code: "code-ada" });
assert.deepEqual(await haft.call("agenda", {}), { owner: "ada", events: ["Tea"] });
//#endregion

//#region callers
const bob = haft.as({ agent: "assistant", user: "bob", allow: ["*"] });
await assert.rejects(bob.call("agenda", {}), /must sign in/); // Bob cannot use Ada's token
const again = await bob.beginSignIn("calendar");
await assert.rejects(haft.finishSignIn({ state: again.state, code: "code-bob" })); // cannot be finished by Ada
await bob.finishSignIn({ state: again.state, code: "code-bob" });
assert.deepEqual(await bob.call("agenda", {}), { owner: "bob", events: ["Tea"] });
//#endregion

//#region once
const before = service.refreshes;
await Promise.all(Array.from({ length: 20 }, () => haft.call("agenda", {})));
assert.ok(service.refreshes - before < 20); // concurrent calls share one refresh
//#endregion

const log = JSON.stringify(await haft.log());
for (const secret of ["s3cret-of-the-client", "k3y-of-the-vault", "access-ada", "refresh-ada", "code-bob"]) {
  assert.ok(!log.includes(secret));
}
await haft.close();
await service.close();
console.log("each caller had its own right, and no secret was written down");
