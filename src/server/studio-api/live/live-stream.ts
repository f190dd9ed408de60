import { eventStream, type Tell } from "../events.ts";
import { ApiRefusal } from "../refused.ts";
import type { Visit } from "../visit.ts";
import type { LiveMessage } from "../words/live.ts";
import type { StudioWorld } from "../world.ts";
import { type Changes, changesIn, type Place, placeNow, readEventId } from "./changes.ts";
import { callEvents, memoryChanges } from "./memory-changes.ts";
import { toMessage } from "./told-changes.ts";

/** Between two messages there is at least so much time: at most five a second, whatever happens. */
const leastMs = 200;
/** So many streams one person has at once: windows, and programs of theirs. */
const mostOfPerson = 50;
/** So often the ledger is asked what other processes did. */
const pollMs = 500;

/** What everybody who watches one Studio shares: the ledger is asked once for all of them. */
interface LiveHub {
  readonly join: (name: string, tell: (message: LiveMessage) => void) => Joined;
  readonly countOf: (name: string) => number;
}

interface Joined {
  /** From now on nothing is missed: what somebody asks for afterwards, they are told of when it changes. */
  readonly ready: Promise<void>;
  readonly leave: () => void;
}

const hubs = new WeakMap<StudioWorld, LiveHub>();

/** Calls, questions, runs and servers as they change. Behind `Last-Event-ID`, what happened meanwhile comes first. */
export const live = async ({ world, person, request }: Visit): Promise<Response> => {
  const from = readEventId(request.headers.get("last-event-id"));
  const hub = hubs.get(world) ?? openHub(world);
  hubs.set(world, hub);
  const { endsAt, name } = person;
  if (hub.countOf(name) >= mostOfPerson) {
    const message = `You have ${mostOfPerson} streams open. Close some of them first.`;
    throw new ApiRefusal(429, "too_many_streams", message);
  }
  // Who is no longer signed in hears nothing more.
  const over = endsAt === undefined ? [] : [AbortSignal.timeout(Math.max(0, endsAt - world.now()))];
  const signedOut = person.signedOut === undefined ? [] : [person.signedOut];
  return eventStream([world.closed, request.signal, ...over, ...signedOut], (tell) => {
    const say = (message: LiveMessage): void => tell({ name: "live", id: message.id, data: message });
    let isOver = false;
    const { ready, leave } = hub.join(name, say);
    if (from !== undefined) void catchUp(world, from, tell, () => isOver);
    else
      void ready.then(() => {
        if (!isOver) tell({ name: "hello", data: { at: world.now() } });
      });
    return () => {
      isOver = true;
      leave();
    };
  });
};

const catchUp = async (world: StudioWorld, from: Place, tell: Tell, isOver: () => boolean): Promise<void> => {
  const { durable, options } = world;
  if (durable === undefined) return;
  try {
    const message = await toMessage(world, await changesIn(durable, from), new Set());
    if (!isOver()) tell({ name: "live", id: message.id, data: message });
  } catch (error) {
    options.onError(error, "live");
  }
};

const openHub = (world: StudioWorld): LiveHub => {
  const listeners = new Map<(message: LiveMessage) => void, string>();
  let watching: Watching | undefined;
  return {
    countOf: (name) => [...listeners.values()].filter((each) => each === name).length,
    join: (name, tell) => {
      listeners.set(tell, name);
      watching ??= watch(world, (message) => {
        for (const listener of listeners.keys()) listener(message);
      });
      const leave = (): void => {
        listeners.delete(tell);
        if (listeners.size > 0) return;
        watching?.end();
        watching = undefined;
      };
      return { ready: watching.ready, leave };
    },
  };
};

interface Watching {
  /** The ledger was asked once where it stands. */
  readonly ready: Promise<void>;
  readonly end: () => void;
}

/** Looks every now and then, and soon after something happened in this very process. */
const watch = (world: StudioWorld, tell: (message: LiveMessage) => void): Watching => {
  const take = changesOf(world);
  const servers = new Set<string>();
  let isOver = false;
  let isLooking = false;
  let lookedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const plan = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(look, ms);
    timer.unref();
  };
  const look = async (): Promise<void> => {
    isLooking = true;
    lookedAt = performance.now();
    try {
      const changes = await take.next();
      const changed = new Set(servers);
      servers.clear();
      if (isOver) return;
      if (isAnything(changes) || changed.size > 0) tell(await toMessage(world, changes, changed));
    } catch (error) {
      if (!isOver && !world.shared.closed) world.options.onError(error, "live");
    } finally {
      isLooking = false;
      // Behind a runtime that was closed nothing changes any more.
      if (!isOver && !world.shared.closed) plan(pollMs);
    }
  };
  const soon = (): void => {
    if (!isLooking && !isOver) plan(Math.max(0, leastMs - (performance.now() - lookedAt)));
  };
  const closers = [
    ...callEvents(world.shared, soon),
    world.logs.onLine((serverId) => {
      servers.add(serverId);
      soon();
    }),
  ];
  return {
    ready: look(),
    end: () => {
      isOver = true;
      clearTimeout(timer);
      for (const close of closers) close();
      take.close();
    },
  };
};

const isAnything = ({ entryIds, runIds, askedIn, isBehind }: Changes): boolean =>
  isBehind || entryIds.length + runIds.length + askedIn.length > 0;

interface ChangeSource {
  readonly next: () => Promise<Changes>;
  readonly close: () => void;
}

const changesOf = (world: StudioWorld): ChangeSource => {
  const { durable } = world;
  if (durable === undefined) {
    const memory = memoryChanges(world);
    return { next: memory.take, close: memory.close };
  }
  let place: Place | undefined;
  return {
    next: async () => {
      place ??= await placeNow(durable);
      const changes = await changesIn(durable, place);
      place = changes.place;
      return changes;
    },
    close: () => {},
  };
};
