// Credentials: secrets from a file and a command, and OAuth tokens that belong to callers.
import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { Haft, http, tool } from "haft";
import { Credentials } from "haft/effect";

// A service with users of its own. A code or a refresh token names its user; real ones say nothing.
let refreshes = 0;
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const answer = (status: number, value: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  if (request.url !== "/token") {
    const user = /^Bearer access-(\w+)-\d+$/.exec(request.headers.authorization ?? "")?.[1];
    return answer(user === undefined ? 401 : 200, { owner: user, events: ["Tea"] });
  }
  const form = new URLSearchParams(body);
  const user = (form.get("code") ?? form.get("refresh_token") ?? "").replace(/^\w+-/, "");
  if (form.get("grant_type") === "refresh_token") refreshes += 1;
  return answer(200, {
    access_token: `access-${user}-${refreshes}`,
    refresh_token: `refresh-${user}`,
    token_type: "Bearer",
    // So short that it is renewed at every use.
    expires_in: 0,
  });
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
const folder = await mkdtemp(join(tmpdir(), "haft-credentials-"));
const secretFile = join(folder, "client-secret");
await writeFile(secretFile, "s3cret-of-the-client\n");
await chmod(secretFile, 0o600);

//#region tools
const agenda = tool({
  name: "agenda",
  description: "What is in the caller's calendar",
  input: { type: "object", properties: {} } as const,
  annotations: { readOnly: true },
  // The caller's own token, renewed in time; after a 401 once more with a new one.
  implementation: http({ url: `http://${place}/events`, auth: { kind: "oauth", credential: "calendar" } }),
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
  outside: { allow: [place] },
  credentials: {
    env: "HAFT_SECRET_", // the secret `deploy-key` may be in HAFT_SECRET_DEPLOY_KEY
    file: { "calendar-client": secretFile }, // only its owner may be able to read it
    command: { argv: { "deploy-key": [process.execPath, "-p", "'k3y-of-the-vault'"] } }, // no shell reads it
    oauth: {
      calendar: {
        grant: "authorization_code",
        clientId: "assistant",
        clientSecret: "calendar-client", // the name of a secret
        authorizationUrl: `http://${place}/authorize`,
        tokenUrl: `http://${place}/token`,
        redirectUrl: "http://127.0.0.1:3000/callback",
        scopes: ["events.read"],
      },
    },
    tokens: join(folder, "tokens"), // in files; in memory if left out
  },
});
//#endregion
assert.deepEqual(await haft.call("vault", {}), { key: "<redacted:deploy-key>" });

//#region sign-in
await assert.rejects(haft.call("agenda", {}), /must sign in/);
const { url, state } = await haft.beginSignIn("calendar"); // send the person there
assert.equal(new URL(url).searchParams.get("code_challenge_method"), "S256");
// …and when they come back to redirectUrl:
await haft.finishSignIn({ state, code: "code-ada" });
assert.deepEqual(await haft.call("agenda", {}), { owner: "ada", events: ["Tea"] });
//#endregion

//#region callers
const bob = haft.as({ agent: "assistant", user: "bob", allow: ["*"] });
await assert.rejects(bob.call("agenda", {}), /must sign in/); // what Ada gave, Bob has not
const again = await bob.beginSignIn("calendar");
await assert.rejects(haft.finishSignIn({ state: again.state, code: "code-bob" })); // not Ada's to finish
await bob.finishSignIn({ state: again.state, code: "code-bob" });
assert.deepEqual(await bob.call("agenda", {}), { owner: "bob", events: ["Tea"] });
//#endregion

//#region once
const before = refreshes;
await Promise.all(Array.from({ length: 20 }, () => haft.call("agenda", {})));
assert.ok(refreshes - before < 20); // those who ask at the same time share one refresh
//#endregion

const log = JSON.stringify(await haft.log());
for (const secret of ["s3cret-of-the-client", "k3y-of-the-vault", "access-ada", "refresh-ada", "code-bob"]) {
  assert.ok(!log.includes(secret));
}
await haft.close();
server.close();
await rm(folder, { recursive: true });
console.log("each caller had its own right, and no secret was written down");
