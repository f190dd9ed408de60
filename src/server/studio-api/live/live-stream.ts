import type { SharedRuntime } from "../../../runtime/shared-runtime.ts";
import { eventStream, type StreamEvent, toEventText } from "../../request/event-stream.ts";
import { HttpError } from "../../request/http-error.ts";
import type { ApiContext } from "../api-context.ts";
import type { LiveMessage } from "../schemas/live.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";
import {
  currentPosition,
  type LedgerChanges,
  type LedgerPosition,
  parseEventId,
  readChanges,
} from "./ledger-changes.ts";
import { toLiveMessage } from "./to-live-message.ts";

const minMessageIntervalMs = 200;
const maxStreamsPerPerson = 50;
const changePollMs = 500;

/** Polls the ledger once for all streams. */
interface LiveHub {
  readonly join: (name: string, send: (message: LiveMessage) => void) => LiveSubscription;
  readonly countOf: (name: string) => number;
}

interface LiveSubscription {
  /** Resolves when all later changes will be reported. */
  readonly ready: Promise<void>;
  readonly leave: () => void;
}

const hubs = new WeakMap<StudioServices, LiveHub>();

/** With `Last-Event-ID`, the stream starts with the missed changes. */
export const liveStream = async (context: ApiContext): Promise<Response> => {
  const { studio, person, request } = context;
  const from = parseEventId(request.headers.get("last-event-id"));
  const hub = hubs.get(studio) ?? createLiveHub(studio);
  hubs.set(studio, hub);
  const { name } = person;
  if (hub.countOf(name) >= maxStreamsPerPerson) {
    const message = `You have ${maxStreamsPerPerson} open streams, which is the limit. Close other pages of the Studio.`;
    throw new HttpError(429, "too_many_streams", message);
  }
  return apiEventStream(context, (send) => {
    const sendMessage = (message: LiveMessage): void => send({ name: "live", id: message.id, data: message });
    let isOver = false;
    const { ready, leave } = hub.join(name, sendMessage);
    if (from !== undefined) void sendMissedChanges(studio, from, send, () => isOver);
    else
      void ready.then(() => {
        if (!isOver) send({ name: "hello", data: { at: studio.now() } });
      });
    return () => {
      isOver = true;
      leave();
    };
  });
};

type SendEvent = (event: StreamEvent) => void;

/** Ends with the Studio, the request, the session or the sign-out of its person. */
export const apiEventStream = (
  { studio, person, request }: ApiContext,
  begin: (send: SendEvent, end: () => void) => () => void,
): Response => {
  const { expiresAt, signedOut } = person;
  const expired =
    expiresAt === undefined ? undefined : AbortSignal.timeout(Math.max(0, expiresAt - studio.now()));
  const signals = [studio.closed, request.signal, expired, signedOut].filter((each) => each !== undefined);
  return eventStream({ signals }, ({ write, end }) => begin((event) => write(toEventText(event)), end));
};

const sendMissedChanges = async (
  studio: StudioServices,
  from: LedgerPosition,
  send: SendEvent,
  isOver: () => boolean,
): Promise<void> => {
  const { durable, options } = studio;
  if (durable === undefined) return;
  try {
    const message = await toLiveMessage(studio, await readChanges(durable, from), new Set());
    if (!isOver()) send({ name: "live", id: message.id, data: message });
  } catch (error) {
    options.onError(error, "live");
  }
};

const createLiveHub = (studio: StudioServices): LiveHub => {
  const listeners = new Map<(message: LiveMessage) => void, string>();
  let activeWatch: LedgerWatch | undefined;
  return {
    countOf: (name) => [...listeners.values()].filter((each) => each === name).length,
    join: (name, send) => {
      listeners.set(send, name);
      activeWatch ??= watchLedger(studio, (message) => {
        for (const listener of listeners.keys()) listener(message);
      });
      const leave = (): void => {
        listeners.delete(send);
        if (listeners.size > 0) return;
        activeWatch?.end();
        activeWatch = undefined;
      };
      return { ready: activeWatch.ready, leave };
    },
  };
};

interface LedgerWatch {
  readonly ready: Promise<void>;
  readonly end: () => void;
}

/** Polls regularly, and soon after events in this process. */
const watchLedger = (studio: StudioServices, send: (message: LiveMessage) => void): LedgerWatch => {
  const source = changeSourceOf(studio);
  const servers = new Set<string>();
  let isOver = false;
  let isPolling = false;
  let lastPolledAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const schedulePoll = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(poll, ms);
    timer.unref();
  };
  const poll = async (): Promise<void> => {
    isPolling = true;
    lastPolledAt = performance.now();
    try {
      const changes = await source.next();
      const changed = new Set(servers);
      servers.clear();
      if (isOver) return;
      if (hasChanges(changes) || changed.size > 0) send(await toLiveMessage(studio, changes, changed));
    } catch (error) {
      if (!isOver && !studio.shared.closed) studio.options.onError(error, "live");
    } finally {
      isPolling = false;
      if (!isOver && !studio.shared.closed) schedulePoll(changePollMs);
    }
  };
  const pollSoon = (): void => {
    if (!isPolling && !isOver)
      schedulePoll(Math.max(0, minMessageIntervalMs - (performance.now() - lastPolledAt)));
  };
  const closers = [
    ...onCallEvents(studio.shared, pollSoon),
    studio.logs.onLine((serverId) => {
      servers.add(serverId);
      pollSoon();
    }),
  ];
  return {
    ready: poll(),
    end: () => {
      isOver = true;
      clearTimeout(timer);
      for (const close of closers) close();
      source.close();
    },
  };
};

/** For memory ledgers, which have no rows: uses runtime events, and compares approvals and runs. */
interface MemoryChanges {
  readonly take: () => Promise<LedgerChanges>;
  readonly close: () => void;
}

const memoryChanges = ({ shared, ledger }: StudioServices): MemoryChanges => {
  let started = 0;
  let ended = 0;
  let failed = 0;
  const touched = new Map<string, true>();
  const touch = (entryId: string): void => {
    touched.delete(entryId);
    touched.set(entryId, true);
  };
  const closers = onCallEvents(shared, (entryId, kind) => {
    touch(entryId);
    if (kind === "tools.started") started += 1;
    if (kind === "tools.executed" || kind === "tools.failed") ended += 1;
    if (kind === "tools.failed") failed += 1;
  });
  const known = new Map<string, string>();
  const hasNewState = (id: string, state: string): boolean => {
    if (known.get(id) === state) return false;
    known.set(id, state);
    return true;
  };
  return {
    take: async () => {
      const [approvals, runs] = await Promise.all([
        runLedger(ledger.approvals.list({ limit: 100 })),
        runLedger(ledger.runs.list({ limit: 100 })),
      ]);
      const approvalRunIds = approvals
        .filter(({ id, status }) => hasNewState(`approval ${id}`, status))
        .map(({ runId }) => runId);
      const runIds = runs
        .filter(({ runId, status, turns, isHeld }) =>
          hasNewState(`run ${runId}`, `${status} ${turns} ${isHeld}`),
        )
        .map(({ runId }) => runId);
      const entryIds = [...touched.keys()].reverse();
      const taken = {
        started,
        ended,
        failed,
        entryIds,
        runIds,
        approvalRunIds: [...new Set(approvalRunIds)],
        position: [],
        hasMissedChanges: false,
      };
      started = ended = failed = 0;
      touched.clear();
      return taken;
    },
    close: () => {
      for (const close of closers) close();
    },
  };
};

const callEventNames = ["tools.started", "tools.executed", "tools.failed", "tools.pending"] as const;

const onCallEvents = (
  { events }: SharedRuntime,
  listener: (entryId: string, kind: (typeof callEventNames)[number]) => void,
): readonly (() => void)[] =>
  callEventNames.map((kind) => events.on(kind, ({ entryId }) => listener(entryId, kind)));

const hasChanges = ({ entryIds, runIds, approvalRunIds, hasMissedChanges }: LedgerChanges): boolean =>
  hasMissedChanges || entryIds.length + runIds.length + approvalRunIds.length > 0;

interface ChangeSource {
  readonly next: () => Promise<LedgerChanges>;
  readonly close: () => void;
}

const changeSourceOf = (studio: StudioServices): ChangeSource => {
  const { durable } = studio;
  if (durable === undefined) {
    const memory = memoryChanges(studio);
    return { next: memory.take, close: memory.close };
  }
  let position: LedgerPosition | undefined;
  return {
    next: async () => {
      position ??= await currentPosition(durable);
      const changes = await readChanges(durable, position);
      position = changes.position;
      return changes;
    },
    close: () => {},
  };
};
