import * as Effect from "effect/Effect";
import { type Redactor, redactor } from "../json/redact.ts";
import type { Haft } from "../runtime/haft.ts";
import { type Shared, sharedBy } from "../runtime/shared.ts";
import type { DurableLedger } from "../words/durable-ledger.ts";
import { ConfigurationError, type LedgerError } from "../words/errors.ts";
import type { LedgerStore } from "../words/ledger.ts";
import { type KeptChats, keptChats } from "./agents/kept-chats.ts";
import { type ServerLogs, serverLogs } from "./servers/server-logs.ts";
import type { ReadStudioOptions } from "./studio-options.ts";

/** What every resource of the Studio stands on. */
export interface StudioWorld {
  readonly haft: Haft;
  readonly shared: Shared;
  readonly options: ReadStudioOptions;
  readonly ledger: LedgerStore & Required<Pick<LedgerStore, "approvals" | "runs" | "recall">>;
  /** The same, where it outlives its process. */
  readonly durable: DurableLedger | undefined;
  readonly redactor: Redactor;
  readonly logs: ServerLogs;
  readonly chats: KeptChats;
  readonly now: () => number;
  /** Asked again only after a while, because the answer is not free: several pages ask for the same. */
  readonly remember: <A>(key: string, forMs: number, find: () => Promise<A>) => Promise<A>;
  readonly closed: AbortSignal;
}

export const openWorld = (haft: Haft, options: ReadStudioOptions, closed: AbortSignal): StudioWorld => {
  const shared = sharedBy.get(haft);
  if (shared === undefined) {
    throw new ConfigurationError("invalid_config", "studio takes a runtime: studio(await Haft.open({ … })).");
  }
  // A runtime completes its ledger with books in memory where a store has none of its own.
  const ledger = shared.ledger as StudioWorld["ledger"];
  const masking = redactor({ secrets: shared.credentials.known, limits: { maxLength: longest } });
  const logs = serverLogs(shared, masking.text, Date.now);
  closed.addEventListener("abort", logs.close, { once: true });
  return {
    haft,
    shared,
    options,
    ledger,
    durable: "verify" in ledger && "rows" in ledger ? (ledger as DurableLedger) : undefined,
    redactor: masking,
    logs,
    chats: keptChats(),
    now: Date.now,
    remember: remembering(Date.now),
    closed,
  };
};

/** A text that is asked for by itself is masked as long as it is. */
const longest = 16 * 1_048_576;

const mostRemembered = 200;

const remembering = (now: () => number): StudioWorld["remember"] => {
  const kept = new Map<string, { readonly value: Promise<unknown>; readonly until: number }>();
  return <A>(key: string, forMs: number, find: () => Promise<A>): Promise<A> => {
    const known = kept.get(key);
    if (known !== undefined && known.until > now()) return known.value as Promise<A>;
    for (const [each, { until }] of kept) {
      if (until <= now() || kept.size >= mostRemembered) kept.delete(each);
    }
    const value = find();
    kept.set(key, { value, until: now() + forMs });
    value.catch(() => kept.delete(key));
    return value;
  };
};

export const ask = <A>(effect: Effect.Effect<A, LedgerError>): Promise<A> => Effect.runPromise(effect);
