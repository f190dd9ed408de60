import type { ConnectRequest } from "../kit/gateway-connections.ts";
import { bearer } from "../kit/host-scene.ts";
import { audience, jwtAuthOf, type TokenSigner, toKeySet } from "../kit/jwt-scene.ts";
import {
  type AccessCase,
  adaToken,
  bobToken,
  firstSigner,
  type HostOptionsFor,
  secondSigner,
  startKeyServer,
  tokenAuthOf,
} from "./access-scene.ts";

const jwtHostOptions: HostOptionsFor = () => ({
  auth: jwtAuthOf(toKeySet(firstSigner), { requiredScopes: ["admin"] }),
});
const validClaims = { scope: "admin" };
const withBearer = async (token: Promise<string>): Promise<ConnectRequest> => ({
  headers: bearer(await token),
});
const nowSeconds = (): number => Math.floor(Date.now() / 1000);
/** Cases of credentials. */
export const tokenCases: readonly AccessCase[] = [
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
    shows: { path: `/mcp?access_token=${adaToken}` },
    taken: [[400, "invalid_request"]],
  },
  {
    what: "two tokens",
    shows: { headers: { authorization: [`Bearer ${adaToken}`, `Bearer ${bobToken}`] } },
    taken: [[400, "invalid_request"]],
  },
  {
    what: "a good JWT",
    options: jwtHostOptions,
    shows: () => withBearer(firstSigner.sign(validClaims)),
    taken: [[200]],
  },
  {
    what: "an expired JWT",
    options: jwtHostOptions,
    shows: () => withBearer(firstSigner.sign({ ...validClaims, exp: nowSeconds() - 1 })),
    taken: [[401, "invalid_token"]],
  },
  {
    what: "a JWT that is not valid yet",
    options: jwtHostOptions,
    shows: () => withBearer(firstSigner.sign({ ...validClaims, nbf: nowSeconds() + 60 })),
    taken: [[401, "invalid_token"]],
  },
  {
    what: "a JWT without an end",
    options: jwtHostOptions,
    shows: () => withBearer(firstSigner.sign({ ...validClaims, exp: undefined })),
    taken: [[401, "invalid_token"]],
  },
  {
    what: "a JWT for another audience",
    options: jwtHostOptions,
    shows: () => withBearer(firstSigner.sign({ ...validClaims, aud: `${audience}/other` })),
    taken: [[401, "invalid_token"]],
  },
  {
    what: "a JWT of another issuer",
    options: jwtHostOptions,
    shows: () => withBearer(firstSigner.sign({ ...validClaims, iss: "https://evil.example.com" })),
    taken: [[401, "invalid_token"]],
  },
  {
    what: "a JWT under an unknown key",
    options: jwtHostOptions,
    shows: () => withBearer(secondSigner.sign(validClaims)),
    taken: [[401, "invalid_token"]],
  },
  {
    what: "a JWT without a required scope",
    options: jwtHostOptions,
    shows: () => withBearer(firstSigner.sign({ scope: "mail.read" })),
    taken: [[403, "insufficient_scope"]],
  },
  {
    what: "a JWT whose keys are unavailable",
    options: async () => {
      const { state, auth: remote } = await startKeyServer(firstSigner);
      state.isUp = false;
      return { auth: remote };
    },
    shows: () => withBearer(firstSigner.sign(validClaims)),
    taken: [[503, "keys_unavailable"]],
  },
  {
    what: "a JWT that ends between two messages",
    options: jwtHostOptions,
    play: async ({ enter, pass }) => {
      const connection = await enter(await withBearer(firstSigner.sign(validClaims)));
      const before = await connection.send();
      pass(61_000);
      return [before, await connection.send()];
    },
    taken: [[200], [401, "invalid_token"]],
  },
  {
    what: "a JWT whose key left the set, once the set was read again",
    options: async () => {
      const { state, auth: remote } = await startKeyServer(firstSigner);
      currentKeys = state;
      return { auth: remote };
    },
    play: async ({ enter, visit, pass }) => {
      const connection = await enter(await withBearer(firstSigner.sign(validClaims)));
      const before = await connection.send();
      currentKeys.signers = [secondSigner];
      pass(31_000);
      // A token under a new key makes the host refresh the key set.
      const other = await visit(await withBearer(secondSigner.sign(validClaims)));
      return [before, other, await connection.send()];
    },
    taken: [[200], [200], [401, "invalid_token"]],
  },
  {
    what: "a token that was taken back",
    play: async ({ enter, host }) => {
      const connection = await enter();
      const before = await connection.send();
      const other = await enter({ headers: bearer(bobToken) });
      await host.changeAuth(tokenAuthOf(bobToken));
      return [before, await connection.send(), await other.send()];
    },
    taken: [[200], [401, "invalid_token"], [200]],
  },
];

let currentKeys: { signers: readonly TokenSigner[] };
