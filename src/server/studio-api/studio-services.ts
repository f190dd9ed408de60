import * as Effect from "effect/Effect";
import { type Redactor, redactor } from "../../base/json/redact.ts";
import type { Haft } from "../../runtime/haft.ts";
import { type SharedRuntime, sharedRuntimes } from "../../runtime/shared-runtime.ts";
import type { DurableLedger } from "../../types/durable-ledger.ts";
import { ConfigurationError, type LedgerError } from "../../types/errors.ts";
import type { LedgerStore } from "../../types/ledger.ts";
import { type ChatLogs, createChatLogs } from "./agents/chat-logs.ts";
import type { ServerLogEntry } from "./schemas/servers.ts";
import type { ParsedStudioOptions } from "./studio-options.ts";

export interface StudioServices {
  readonly haft: Haft;
  readonly shared: SharedRuntime;
  readonly options: ParsedStudioOptions;
  readonly ledger: LedgerStore & Required<Pick<LedgerStore, "approvals" | "runs" | "recall">>;
  /** Undefined for memory ledgers. */
  readonly durable: DurableLedger | undefined;
  readonly redactor: Redactor;
  readonly logs: ServerLogs;
  readonly chats: ChatLogs;
  readonly now: () => number;
  /** Caches an answer, because several pages request the same one. */
  readonly remember: <A>(key: string, forMs: number, find: () => Promise<A>) => Promise<A>;
  readonly closed: AbortSignal;
}

export const openStudioServices = (
  haft: Haft,
  options: ParsedStudioOptions,
  closeSignal: AbortSignal,
): StudioServices => {
  const shared = sharedRuntimes.get(haft);
  if (shared === undefined) {
    throw new ConfigurationError(
      "invalid_config",
      "studio requires a runtime: studio(await Haft.open({ … })).",
    );
  }
  // The runtime adds the optional stores to every ledger.
  const ledger = shared.ledger as StudioServices["ledger"];
  const masking = redactor({ secrets: shared.credentials.known, limits: { maxLength: maxMaskedTextLength } });
  const logs = createServerLogs(shared, masking.text, Date.now);
  closeSignal.addEventListener("abort", logs.close, { once: true });
  return {
    haft,
    shared,
    options,
    ledger,
    durable: "verify" in ledger && "rows" in ledger ? (ledger as DurableLedger) : undefined,
    redactor: masking,
    logs,
    chats: createChatLogs(),
    now: Date.now,
    remember: answerCache(Date.now),
    closed: closeSignal,
  };
};

const maxMaskedTextLength = 16 * 1_048_576;

const maxCachedAnswers = 200;

const answerCache = (now: () => number): StudioServices["remember"] => {
  const kept = new Map<string, { readonly value: Promise<unknown>; readonly until: number }>();
  return <A>(key: string, forMs: number, find: () => Promise<A>): Promise<A> => {
    const known = kept.get(key);
    if (known !== undefined && known.until > now()) return known.value as Promise<A>;
    for (const [each, { until }] of kept) {
      if (until <= now() || kept.size >= maxCachedAnswers) kept.delete(each);
    }
    const value = find();
    kept.set(key, { value, until: now() + forMs });
    value.catch(() => kept.delete(key));
    return value;
  };
};

export const runLedger = <A>(effect: Effect.Effect<A, LedgerError>): Promise<A> => Effect.runPromise(effect);

const maxLogLines = 200;
const maxLogLineLength = 2_000;

interface ServerLogs {
  readonly of: (serverId: string) => readonly ServerLogEntry[];
  readonly note: (serverId: string, text: string) => void;
  readonly onLine: (listener: (serverId: string) => void) => () => void;
  readonly close: () => void;
}

const createServerLogs = (
  shared: SharedRuntime,
  mask: (text: string) => string,
  now: () => number,
): ServerLogs => {
  const lines = new Map<string, ServerLogEntry[]>();
  const listeners = new Set<(serverId: string) => void>();
  const append = (serverId: string, kind: ServerLogEntry["kind"], text: string, at = now()): void => {
    const kept = lines.get(serverId) ?? [];
    kept.push({ at, kind, text: mask(text).slice(0, maxLogLineLength).toWellFormed() });
    if (kept.length > maxLogLines) kept.shift();
    lines.set(serverId, kept);
    for (const listener of listeners) listener(serverId);
  };
  const closers = [
    shared.events.on("tools.mcp-connected", ({ serverName, tools }) =>
      append(serverName, "connected", connectedText(tools)),
    ),
    shared.events.on("tools.mcp-disconnected", ({ serverName, reason = "disconnected" }) =>
      append(serverName, "disconnected", reason),
    ),
  ];
  for (const { id, connectedAt, tools } of shared.mcp.list()) {
    if (connectedAt !== undefined) append(id, "connected", connectedText(tools), connectedAt);
  }
  // Without servers the MCP module is not loaded.
  if (shared.mcp.list().length > 0) {
    void shared.mcp.open().then((services) => {
      closers.push(
        services.onStderr((line, serverId) => append(serverId, "logged", line)),
        services.servers.onNotification((news, serverId) => {
          if (news.kind === "logged") append(serverId, "logged", JSON.stringify(news.message));
          if (news.kind === "trouble") append(serverId, "error", news.message);
          if (news.kind === "closed") append(serverId, "disconnected", news.reason);
        }),
      );
    });
  }
  return {
    of: (serverId) => lines.get(serverId) ?? [],
    note: (serverId, text) => append(serverId, "logged", text),
    onLine: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => {
      for (const close of closers) close();
    },
  };
};

const connectedText = ({ length }: readonly unknown[]): string =>
  `connected with ${length} ${length === 1 ? "tool" : "tools"}`;
