import { canonicalJson } from "../../json/canonical-json.ts";
import { hashJson } from "../../json/hash.ts";
import { isSameLaunch, launchText } from "../../mcp/lock/launch.ts";
import type { Lock, LockedDefinition } from "../../mcp/lock/locked.ts";
import { pagesOf } from "../../mcp/lock/pages-of.ts";
import { readLock } from "../../mcp/lock/read-lock.ts";
import { acceptReview } from "../../mcp/lock/review/accept.ts";
import { compareLock } from "../../mcp/lock/review/compare.ts";
import {
  type Listing,
  openDangers,
  type Review,
  type ServerReview,
  type ToolReview,
} from "../../mcp/lock/review/review.ts";
import { readLockFile, writeLockFile } from "../../mcp/lock/stored-lock.ts";
import { writeLock } from "../../mcp/lock/write-lock.ts";
import { textDiff } from "../../text/line-diff.ts";
import { ToolError } from "../../words/errors.ts";
import { given } from "../calls/call-line.ts";
import { ApiRefusal, notFound } from "../refused.ts";
import { toText } from "../text.ts";
import type { Visit } from "../visit.ts";
import type { ApprovedReview, ApproveReviewBody, LockReview, ReviewedTool } from "../words/servers.ts";
import type { StudioWorld } from "../world.ts";
import { flagMeanings } from "./flag-meanings.ts";
import { findServer } from "./show-servers.ts";

interface Reviewed {
  readonly file: string;
  readonly lock: Lock | undefined;
  readonly listing: Listing;
  readonly review: Review;
  readonly server: ServerReview;
}

/** Held against the lock as it is now: what the server that is connected offers now. */
const reviewOf = async (world: StudioWorld, id: string): Promise<Reviewed> => {
  const { services } = await findServer(world, id);
  if (services.lock === false) {
    throw new ApiRefusal(
      409,
      "no_lock",
      "The runtime was opened with `mcp.lock: false`, so no lock is read.",
    );
  }
  const lock = await readLockFile(services.lock);
  if (ToolError.is(lock)) throw new ApiRefusal(409, "corrupt_lock", `${services.lock}: ${lock.message}`);
  const server = services.configured.find((each) => each.id === id);
  if (server === undefined) throw notFound(`configuration of the server "${id}"`);
  const listing = await listingOf(services.servers.session(id), server);
  const review = compareLock(lock, [listing]);
  const reviewed = review.servers.find((each) => each.id === id);
  if (reviewed === undefined) throw notFound(`review of the server "${id}"`);
  return { file: services.lock, lock, listing, review, server: reviewed };
};

type Session = Parameters<typeof pagesOf>[0];

/** A server that was not let in is not started for a review: at a terminal `haft lock` asks whether it may. */
const listingOf = async (session: Session | undefined, server: Listing["server"]): Promise<Listing> => {
  if (session === undefined) {
    return {
      server,
      tools: [],
      trouble: `It is not connected. haft lock ${server.id} starts it for a review.`,
    };
  }
  try {
    const { tools } = await session.listTools();
    const pages = await pagesOf(session, tools, undefined);
    return { server, tools, pages, ...given({ serverInfo: session.serverInfo }) };
  } catch (error) {
    return { server, tools: [], trouble: error instanceof Error ? error.message : String(error) };
  }
};

/** What changed since somebody looked, like a code review. */
export const showReview = async ({ world, params }: Visit): Promise<LockReview> =>
  toReview(await reviewOf(world, params.name!));

const toReview = ({ file, server }: Reviewed): LockReview => {
  const { id, change, trouble, was, now, findings, tools } = server;
  const isSame = was !== undefined && now !== undefined && isSameLaunch(was, now);
  return {
    server: id,
    lock: file,
    isClean: change === "same" && tools.every((tool) => openDangers(tool).length === 0),
    change,
    ...given({ trouble: trouble ?? findings[0] }),
    ...(isSame || (was === undefined && now === undefined)
      ? {}
      : { launch: given({ was: was && launchText(was), now: now && launchText(now) }) }),
    tools: tools.map(toReviewedTool),
    hash: hashOf(server),
  };
};

/** Of all that a reviewer is shown, so that nobody accepts anything else. */
const hashOf = (server: ServerReview): string => hashJson(JSON.parse(JSON.stringify(server)));

const fields = [
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "annotations",
  "ui",
  "uiHash",
] as const;

const toReviewedTool = (tool: ToolReview): ReviewedTool => {
  const { name, change, from, was, now, flags, accepted, problem, standsFor } = tool;
  const reason = problem ?? (standsFor === undefined ? undefined : `It stands in the place of ${standsFor}.`);
  return {
    name,
    change,
    ...given({ from, reason }),
    parts: fields.flatMap((field) => {
      const [before, after] = [was, now].map((definition) => fieldText(definition, field));
      if (before === after) return [];
      return [
        {
          pointer: `/${field}`,
          ...(before === undefined ? {} : { was: toText(before) }),
          ...(after === undefined ? {} : { now: toText(after) }),
          diff: toText(textDiff(before, after)),
        },
      ];
    }),
    flags: flags.map(({ code, severity, pointer, excerpt }) => ({
      code,
      severity,
      pointer,
      excerpt,
      explained: flagMeanings[code],
      isAccepted: accepted.includes(code),
    })),
  };
};

const fieldText = (
  definition: LockedDefinition | undefined,
  field: (typeof fields)[number],
): string | undefined => {
  const value = definition?.[field];
  if (value === undefined || typeof value === "string") return value;
  return JSON.stringify(JSON.parse(canonicalJson(value)), null, 2);
};

const writing = new Map<string, Promise<unknown>>();

/** One behind the other, because each reads the lock before it writes: of two at once one would be lost. */
const inTurn = async <A>(file: string, act: () => Promise<A>): Promise<A> => {
  const before = writing.get(file);
  const mine = (before ?? Promise.resolve()).then(act, act);
  writing.set(file, mine);
  try {
    return await mine;
  } finally {
    if (writing.get(file) === mine) writing.delete(file);
  }
};

/** Writes what was reviewed into the lock, as `haft lock` does. Dangers are accepted by name only. */
export const approveReview = async (visit: Visit): Promise<ApprovedReview> => {
  const { services } = await findServer(visit.world, visit.params.name!);
  return inTurn(String(services.lock), () => approveNow(visit));
};

const approveNow = async ({ world, person, params, body }: Visit): Promise<ApprovedReview> => {
  const { hash, tools, accept = [] } = body as unknown as ApproveReviewBody;
  const reviewed = await reviewOf(world, params.name!);
  const { file, lock, listing, review, server } = reviewed;
  if (hashOf(server) !== hash) {
    const message = "The server offers something else than was shown, or the lock has changed. Look again.";
    throw new ApiRefusal(409, "review_changed", message, {}, { review: toReview(reviewed) });
  }
  if (server.trouble !== undefined) throw new ApiRefusal(409, "not_reviewed", server.trouble);
  const isChosen = (name: string): boolean => tools === undefined || tools.includes(name);
  const isMoved =
    server.was !== undefined && server.now !== undefined && !isSameLaunch(server.was, server.now);
  if (isMoved && tools !== undefined) {
    const message =
      "It is started differently than before, which concerns all of its tools. Accept it whole.";
    throw new ApiRefusal(422, "unfit", message);
  }
  const dangers = server.tools
    .filter((tool) => isChosen(tool.name) && openDangers(tool).length > 0 && tool.change !== "refused")
    .filter(({ name }) => !accept.includes(name));
  if (dangers.length > 0) {
    const message = `These have dangers that nobody accepted by name: ${dangers.map(({ name }) => name).join(", ")}.`;
    throw new ApiRefusal(422, "dangers", message);
  }
  const { id } = server;
  const next = acceptReview(lock, [listing], review, {
    server: (each) => (each === id ? tools === undefined : false),
    tool: (each, name) => each === id && isChosen(name),
  });
  const text = writeLock(withOthers(lock, next, id));
  // What the next reader would refuse is not written: it would close the door for every server.
  readLock(text);
  await writeLockFile(file, text);
  const approved = server.tools.filter(({ name, change }) => change !== "same" && isChosen(name));
  const names = approved.map(({ name }) => name).join(", ");
  const what = approved.length === 0 ? `${id} as it is started now` : `${names} of ${id}`;
  world.logs.note(id, `${person.name} approved ${what}`);
  return { written: true, lock: file, message: `Approved: ${what}. ${file} was written.` };
};

/** Of the other servers everything stays as it is: nobody asked them. */
const withOthers = (lock: Lock | undefined, next: Lock, id: string): Lock => ({
  ...next,
  servers: {
    ...Object.fromEntries(Object.entries(lock?.servers ?? {}).filter(([each]) => each !== id)),
    ...Object.fromEntries(Object.entries(next.servers).filter(([each]) => each === id)),
  },
});
