import * as Effect from "effect/Effect";
import type { KnownSecrets } from "../../../../credentials/known-secrets.ts";
import { isStoredToken, type TokenStore } from "../../../../credentials/oauth/token-store.ts";
import { type MaybeLater, settle } from "../../../../credentials/secrets/settle.ts";
import { notKept, unavailable } from "../refusals.ts";
import { type Bundle, readBundle } from "./bundle.ts";

/** One party at one MCP server. */
export interface TokenOwner {
  readonly key: string;
  /** The server's id, for messages. */
  readonly id: string;
}

export interface BundleBook {
  readonly read: (owner: TokenOwner) => Promise<Bundle>;
  readonly write: (owner: TokenOwner, bundle: Bundle) => Promise<void>;
  readonly remove: (owner: TokenOwner) => Promise<void>;
  /** Does the work while others who share the store keep off this owner's tokens. */
  readonly holding: <A>(owner: TokenOwner, work: () => Promise<A>) => Promise<A>;
}

const empty: Bundle = Object.freeze({ version: 1 });
/** Less than what a file for secrets may hold, since the text is quoted once more in it. */
const mostCharacters = 40_000;

const answerOf = <A>(ask: () => MaybeLater<A>): Promise<A> => Effect.runPromise(settle(ask));

/**
 * Bundles in any store of tokens, each as the text of one token. So one store, in memory, in files or of the user's
 * own making, keeps what tools and MCP servers need.
 */
export const bundleBook = (
  store: TokenStore,
  now: () => number,
  known?: Pick<KnownSecrets, "add">,
): BundleBook => {
  const learn = ({ tokens, client, waiting }: Bundle): void => {
    const secrets = [
      tokens?.access_token,
      tokens?.refresh_token,
      client?.client_secret,
      waiting?.verifier,
      waiting?.client.client_secret,
    ];
    for (const secret of secrets) if (secret !== undefined) known?.add(secret);
  };

  return {
    read: async ({ key, id }) => {
      const found = await answerOf(() => store.get(key)).catch((error) => {
        throw notKept(id, "read", error);
      });
      if (found === undefined || found === null) return empty;
      const bundle = isStoredToken(found) ? readBundle(found.accessToken) : undefined;
      if (bundle === undefined) throw notKept(id, "read", undefined);
      learn(bundle);
      return bundle;
    },
    write: async ({ key, id }, bundle) => {
      learn(bundle);
      const accessToken = JSON.stringify(bundle);
      if (accessToken.length > mostCharacters)
        throw unavailable(id, `got tokens longer than ${mostCharacters} characters, which are not kept`);
      await answerOf(() => store.set(key, { accessToken, issuedAt: now() })).catch((error) => {
        throw notKept(id, "written", error);
      });
    },
    remove: async ({ key, id }) => {
      await answerOf(() => store.delete(key)).catch((error) => {
        throw notKept(id, "written", error);
      });
    },
    holding: async ({ key, id }, work) => {
      const { hold } = store;
      if (hold === undefined) return work();
      const release = await answerOf(() => hold(key)).catch((error) => {
        throw notKept(id, "written", error);
      });
      try {
        return await work();
      } finally {
        await answerOf(() => release()).catch(() => {});
      }
    },
  };
};
