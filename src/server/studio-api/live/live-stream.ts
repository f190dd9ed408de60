import { HttpError } from "../../request/http-error.ts";
import type { ApiContext } from "../api-context.ts";
import { apiEventStream, type SendEvent } from "../api-event-stream.ts";
import type { LiveMessage } from "../schemas/live.ts";
import type { StudioServices } from "../studio-services.ts";
import {
  currentPosition,
  type LedgerChanges,
  type LedgerPosition,
  parseEventId,
  readChanges,
} from "./ledger-changes.ts";
import { memoryChanges, onCallEvents } from "./memory-changes.ts";
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
