import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { endpointProblem } from "../../../base/credentials/oauth/oauth-credential.ts";
import type { HttpEgressClient } from "../../../base/http/http-egress.ts";
import { openHttpEgress } from "../../../base/http/open-http-egress.ts";
import { ConfigurationError, ToolError } from "../../../types/errors.ts";
import { waitAtMost } from "../long-lived-callers.ts";
import type { JwtAuth, KeySetProblem } from "./host-auth.ts";

/** The token may be valid. */
export class KeysUnavailableError extends Error {}

export interface JwtKeySet {
  readonly find: JWTVerifyGetKey;
  readonly problem: () => KeySetProblem | undefined;
  readonly isUsable: () => boolean;
  /** For a successor. */
  readonly lastSetOf: (url: string) => FetchedKeySet | undefined;
  readonly onChange: (listener: () => void) => void;
  readonly close: () => Promise<void>;
}

const jwksConfigError = (what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `/auth/jwks ${what}`);

const createLocalKeys = (set: JSONWebKeySet): JwtKeySet => {
  if (!Array.isArray(set.keys) || set.keys.length === 0)
    throw jwksConfigError('must be { "keys": [...] } with at least one key.');
  for (const key of set.keys) {
    if (key.kty === "oct")
      throw jwksConfigError(
        "has a symmetric key. Anyone who can verify tokens with it could also sign them. Use asymmetric keys.",
      );
    if ("d" in key) throw jwksConfigError("has a private key. Configure only the public key.");
  }
  return {
    find: createLocalJWKSet(set),
    problem: () => undefined,
    isUsable: () => true,
    lastSetOf: () => undefined,
    onChange: () => {},
    close: async () => {},
  };
};

const jwksRequestLimits = { timeoutMs: 5_000, maxBytes: 256 * 1024, redirects: 0 };
const failureBackoffMs = 5_000;
/** Strangers with unknown key IDs must not cause requests. */
const cooldownMs = 30_000;
/** Startup waits, to report problems. */
const initialReadTimeoutMs = 1_000;

const hostAndPort = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`;

const keyServerProblem = (url: URL, error: unknown): string => {
  const place = hostAndPort(url);
  if (ToolError.is(error) && error.code === "outside_refused" && error.failure.ran !== true)
    return `The issuer's keys are not read: ${place} is not a public address, and requests to private addresses must be allowed. If it is your key server, add ${JSON.stringify(place)} to "allow" next to "jwks".`;
  const detail =
    ToolError.is(error) || error instanceof InvalidKeySetError ? error.message : "it cannot be reached";
  return `The issuer's keys cannot be read from ${place}: ${detail.replace(/[.\s]*$/, "")}. Check that the server is running and that "jwks" is the URL of its key set.`;
};

class InvalidKeySetError extends Error {}

export interface FetchedKeySet {
  readonly text: string;
  readonly find: JWTVerifyGetKey;
  readonly at: number;
}

const fetchKeySet = async (client: HttpEgressClient, url: URL, now: () => number): Promise<FetchedKeySet> => {
  const request = client.request({
    url: url.href,
    headers: { accept: "application/json" },
    ...jwksRequestLimits,
  });
  const { status, body } = await Effect.runPromise(request);
  if (status !== 200) throw new InvalidKeySetError(`it answered ${status}`);
  const text = new TextDecoder().decode(body);
  try {
    return { text, find: createLocalJWKSet(JSON.parse(text) as JSONWebKeySet), at: now() };
  } catch {
    throw new InvalidKeySetError("its response is not a key set");
  }
};

interface RemoteKeysOptions {
  readonly client: HttpEgressClient;
  readonly refreshMs: number;
  readonly now: () => number;
  readonly last: FetchedKeySet | undefined;
}

/**
 * Read at startup, periodically, and for unknown key IDs. If reads fail, the set expires after two intervals.
 */
class RemoteKeySet {
  readonly #url: URL;
  readonly #read: () => Promise<FetchedKeySet>;
  readonly #now: () => number;
  readonly #refreshMs: number;
  readonly #listeners = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  #set: FetchedKeySet | undefined;
  #reading: Promise<FetchedKeySet> | undefined;
  #backoffUntil = Number.NEGATIVE_INFINITY;
  #problem: string | undefined;

  constructor(url: URL, { client, refreshMs, now, last }: RemoteKeysOptions) {
    this.#set = last;
    this.#url = url;
    this.#read = () => fetchKeySet(client, url, now);
    this.#now = now;
    this.#refreshMs = refreshMs;
    // The backoff only limits callers.
    this.#timer = setInterval(() => this.#readOnce().catch(() => {}), refreshMs).unref();
  }

  readonly find: JWTVerifyGetKey = async (header, token) => {
    const known = this.#set;
    const set = known === undefined || !this.isUsable() ? await this.read() : known;
    try {
      return await set.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.#now() - set.at < cooldownMs) throw error;
      return (await this.read()).find(header, token);
    }
  };

  read(): Promise<FetchedKeySet> {
    if (this.#now() < this.#backoffUntil)
      return Promise.reject(
        new KeysUnavailableError(
          "the last request to the key server failed, and the next retry is not due yet",
        ),
      );
    return this.#readOnce();
  }

  #readOnce(): Promise<FetchedKeySet> {
    this.#reading ??= this.#tryRead().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #tryRead(): Promise<FetchedKeySet> {
    try {
      const set = await this.#read();
      const before = this.#set;
      this.#set = set;
      this.#problem = undefined;
      if (before !== undefined && before.text !== set.text) {
        for (const listener of this.#listeners) listener();
      }
      return set;
    } catch (cause) {
      this.#backoffUntil = this.#now() + Math.min(failureBackoffMs, this.#refreshMs);
      this.#problem = keyServerProblem(this.#url, cause);
      throw new KeysUnavailableError("the key server did not return its keys", { cause });
    }
  }

  readonly isUsable = (): boolean => this.#now() < this.#usableUntil();

  #usableUntil(): number {
    return this.#set === undefined ? Number.NEGATIVE_INFINITY : this.#set.at + 2 * this.#refreshMs;
  }

  readonly problem = (): KeySetProblem | undefined => {
    if (this.#problem === undefined) return undefined;
    const message = this.#problem;
    return this.isUsable() ? { message, holdsUntil: this.#usableUntil() } : { message };
  };

  readonly lastSetOf = (url: string): FetchedKeySet | undefined =>
    url === this.#url.href ? this.#set : undefined;

  readonly onChange = (listener: () => void): void => void this.#listeners.add(listener);

  stop(): void {
    clearInterval(this.#timer);
  }
}

const openRemoteKeys = async (
  url: string,
  { allow = [], jwksRefreshSec = 300 }: JwtAuth,
  { now, last }: Pick<RemoteKeysOptions, "now" | "last">,
): Promise<JwtKeySet> => {
  const reason = endpointProblem(url);
  if (reason !== undefined)
    throw jwksConfigError(`${reason}; it must be the URL of the authorization server's keys.`);
  const scope = Scope.makeUnsafe();
  const client = await Effect.runPromise(Scope.provide(openHttpEgress({ allow }), scope));
  const keys = new RemoteKeySet(new URL(url), { client, refreshMs: jwksRefreshSec * 1000, now, last });
  await waitAtMost(
    keys.read().catch(() => {}),
    initialReadTimeoutMs,
  );
  return {
    find: keys.find,
    problem: keys.problem,
    isUsable: keys.isUsable,
    lastSetOf: keys.lastSetOf,
    onChange: keys.onChange,
    close: () => {
      keys.stop();
      return Effect.runPromise(Scope.close(scope, Exit.void));
    },
  };
};

/** Uses the guarded client, and keeps the previous set of the same URL. */
export const openKeySet = async (
  auth: JwtAuth,
  now: () => number,
  previous?: JwtKeySet,
): Promise<JwtKeySet> => {
  const { jwks } = auth;
  if (typeof jwks !== "string" && !(jwks instanceof URL)) return createLocalKeys(jwks);
  const last = URL.canParse(String(jwks)) ? previous?.lastSetOf(new URL(jwks).href) : undefined;
  return openRemoteKeys(String(jwks), auth, { now, last });
};
