import type { Knock } from "../kit/gateway-doors.ts";
import { bearer } from "../kit/host-scene.ts";
import { audience, jwtAuthOf, keySet, type Signer } from "../kit/jwt-scene.ts";
import { ada, bob, type Case, keyServer, type Options, one, tokensOf, two } from "./gateway-scene.ts";

const jwt: Options = () => ({ auth: jwtAuthOf(keySet(one), { requiredScopes: ["admin"] }) });
const good = { scope: "admin" };
const shows = async (token: Promise<string>): Promise<Knock> => ({ headers: bearer(await token) });
const seconds = (): number => Math.floor(Date.now() / 1000);
/** What a caller shows to say who it is. */
export const tokens: readonly Case[] = [
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
