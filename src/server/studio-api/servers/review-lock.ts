import { canonicalJson } from "../../../base/json/canonical-json.ts";
import { hashJson } from "../../../base/json/hash.ts";
import { textDiff } from "../../../base/text/line-diff.ts";
import type { FlagCode } from "../../../mcp/lock/flags/flag.ts";
import { isSameLaunch, launchText } from "../../../mcp/lock/launch.ts";
import type { Lock, LockedDefinition } from "../../../mcp/lock/lock.ts";
import { readLock } from "../../../mcp/lock/read-lock.ts";
import { readPageHashes } from "../../../mcp/lock/read-page-hashes.ts";
import { acceptReview } from "../../../mcp/lock/review/accept-review.ts";
import { compareLock } from "../../../mcp/lock/review/compare-lock.ts";
import {
  findOpenDangers,
  type LockComparison,
  type ServerListing,
  type ServerReview,
  type ToolReview,
} from "../../../mcp/lock/review/review.ts";
import { readLockFile, writeLockFile } from "../../../mcp/lock/stored-lock.ts";
import { writeLock } from "../../../mcp/lock/write-lock.ts";
import { ToolError } from "../../../types/errors.ts";
import type { ApiContext } from "../api-context.ts";
import { ApiRequestError, notFoundError } from "../api-error.ts";
import { definedFields } from "../calls/to-call-list-item.ts";
import type { ApprovedReview, ApproveReviewBody, LockReview, ReviewedTool } from "../schemas/servers.ts";
import type { StudioServices } from "../studio-services.ts";
import { toText } from "../to-text.ts";
import { findServer } from "./show-servers.ts";

interface ServerLockReview {
  readonly file: string;
  readonly lock: Lock | undefined;
  readonly listing: ServerListing;
  readonly review: LockComparison;
  readonly server: ServerReview;
}

const readServerReview = async (studio: StudioServices, id: string): Promise<ServerLockReview> => {
  const { services } = await findServer(studio, id);
  if (services.lock === false) {
    throw new ApiRequestError(
      409,
      "no_lock",
      "The runtime was opened with `mcp.lock: false`, so no lock is read.",
    );
  }
  const lock = await readLockFile(services.lock);
  if (ToolError.is(lock)) throw new ApiRequestError(409, "corrupt_lock", `${services.lock}: ${lock.message}`);
  const server = services.configured.find((each) => each.id === id);
  if (server === undefined) throw notFoundError(`configuration of the server "${id}"`);
  const listing = await listServerTools(services.servers.session(id), server);
  const review = compareLock(lock, [listing]);
  const reviewed = review.servers.find((each) => each.id === id);
  if (reviewed === undefined) throw notFoundError(`review of the server "${id}"`);
  return { file: services.lock, lock, listing, review, server: reviewed };
};

type McpListingSession = Parameters<typeof readPageHashes>[0];

/** Only `haft lock` starts servers for a review, after asking. */
const listServerTools = async (
  session: McpListingSession | undefined,
  server: ServerListing["server"],
): Promise<ServerListing> => {
  if (session === undefined) {
    return {
      server,
      tools: [],
      trouble: `It is not connected. haft lock ${server.id} starts it for a review.`,
    };
  }
  try {
    const { tools } = await session.listTools();
    const pages = await readPageHashes(session, tools, undefined);
    return { server, tools, pages, ...definedFields({ serverInfo: session.serverInfo }) };
  } catch (error) {
    return { server, tools: [], trouble: error instanceof Error ? error.message : String(error) };
  }
};

export const showReview = async ({ studio, params }: ApiContext): Promise<LockReview> =>
  toLockReview(await readServerReview(studio, params.name!));

const toLockReview = ({ file, server }: ServerLockReview): LockReview => {
  const { id, change, trouble, was, now, findings, tools } = server;
  const isSame = was !== undefined && now !== undefined && isSameLaunch(was, now);
  return {
    server: id,
    lock: file,
    isClean: change === "same" && tools.every((tool) => findOpenDangers(tool).length === 0),
    change,
    ...definedFields({ error: trouble ?? findings[0] }),
    ...(isSame || (was === undefined && now === undefined)
      ? {}
      : { launch: definedFields({ before: was && launchText(was), after: now && launchText(now) }) }),
    tools: tools.map(toReviewedTool),
    hash: reviewHash(server),
  };
};

/** Covers all that is shown. */
const reviewHash = (server: ServerReview): string => hashJson(JSON.parse(JSON.stringify(server)));

const reviewedFields = [
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "annotations",
  "ui",
  "uiHash",
] as const;

const toReviewedTool = (tool: ToolReview): ReviewedTool => {
  const { name, change, from, was, now, flags, accepted, problem, lookalikeOf } = tool;
  const reason =
    problem ?? (lookalikeOf === undefined ? undefined : `It stands in the place of ${lookalikeOf}.`);
  return {
    name,
    change,
    ...definedFields({ from, reason }),
    changes: reviewedFields.flatMap((field) => {
      const [before, after] = [was, now].map((definition) => fieldText(definition, field));
      if (before === after) return [];
      return [
        {
          pointer: `/${field}`,
          ...(before === undefined ? {} : { before: toText(before) }),
          ...(after === undefined ? {} : { after: toText(after) }),
          diff: toText(textDiff(before, after)),
        },
      ];
    }),
    flags: flags.map(({ code, severity, pointer, excerpt }) => ({
      code,
      severity,
      pointer,
      excerpt,
      explanation: flagMeanings[code],
      isAccepted: accepted.includes(code),
    })),
  };
};

const fieldText = (
  definition: LockedDefinition | undefined,
  field: (typeof reviewedFields)[number],
): string | undefined => {
  const value = definition?.[field];
  if (value === undefined || typeof value === "string") return value;
  return JSON.stringify(JSON.parse(canonicalJson(value)), null, 2);
};

const pendingWrites = new Map<string, Promise<unknown>>();

/** Each write reads the lock first. */
const serializeByFile = async <A>(file: string, act: () => Promise<A>): Promise<A> => {
  const before = pendingWrites.get(file);
  const mine = (before ?? Promise.resolve()).then(act, act);
  pendingWrites.set(file, mine);
  try {
    return await mine;
  } finally {
    if (pendingWrites.get(file) === mine) pendingWrites.delete(file);
  }
};

/** Dangerous tools must be accepted by name. */
export const approveReview = async (context: ApiContext<ApproveReviewBody>): Promise<ApprovedReview> => {
  const { services } = await findServer(context.studio, context.params.name!);
  return serializeByFile(String(services.lock), () => writeApprovedReview(context));
};

const writeApprovedReview = async ({
  studio,
  person,
  params,
  body,
}: ApiContext<ApproveReviewBody>): Promise<ApprovedReview> => {
  const { hash, tools, accept = [] } = body;
  const reviewed = await readServerReview(studio, params.name!);
  const { file, lock, listing, review, server } = reviewed;
  if (reviewHash(server) !== hash) {
    const message = "The server offers something else than was shown, or the lock has changed. Look again.";
    throw new ApiRequestError(409, "review_changed", message, {}, { review: toLockReview(reviewed) });
  }
  if (server.trouble !== undefined) throw new ApiRequestError(409, "not_reviewed", server.trouble);
  const isChosen = (name: string): boolean => tools === undefined || tools.includes(name);
  const hasLaunchChanged =
    server.was !== undefined && server.now !== undefined && !isSameLaunch(server.was, server.now);
  if (hasLaunchChanged && tools !== undefined) {
    const message =
      "It is started differently than before, which concerns all of its tools. Accept it whole.";
    throw new ApiRequestError(422, "invalid", message);
  }
  const dangers = server.tools
    .filter((tool) => isChosen(tool.name) && findOpenDangers(tool).length > 0 && tool.change !== "refused")
    .filter(({ name }) => !accept.includes(name));
  if (dangers.length > 0) {
    const message = `These have dangers that nobody accepted by name: ${dangers.map(({ name }) => name).join(", ")}.`;
    throw new ApiRequestError(422, "flags_not_accepted", message);
  }
  const { id } = server;
  const next = acceptReview(lock, [listing], review, {
    server: (each) => (each === id ? tools === undefined : false),
    tool: (each, name) => each === id && isChosen(name),
  });
  const text = writeLock(keepOtherServers(lock, next, id));
  // Throws if unreadable, which would disable all servers.
  readLock(text);
  await writeLockFile(file, text);
  const approved = server.tools.filter(({ name, change }) => change !== "same" && isChosen(name));
  const names = approved.map(({ name }) => name).join(", ");
  const what = approved.length === 0 ? `${id} as it is started now` : `${names} of ${id}`;
  studio.logs.note(id, `${person.name} approved ${what}`);
  return { written: true, lock: file, message: `Approved: ${what}. ${file} was written.` };
};

const keepOtherServers = (lock: Lock | undefined, next: Lock, id: string): Lock => ({
  ...next,
  servers: {
    ...Object.fromEntries(Object.entries(lock?.servers ?? {}).filter(([each]) => each !== id)),
    ...Object.fromEntries(Object.entries(next.servers).filter(([each]) => each === id)),
  },
});

/** Explanations for reviewers. */
const flagMeanings: Readonly<Record<FlagCode, string>> = {
  tag_characters:
    "Characters of the Unicode tag block are invisible to people and read by models: text may be hidden in them.",
  invisible_characters:
    "Characters without width stand between visible ones. Models read them, people do not see them.",
  bidi_controls: "Characters that turn the direction of writing make a text look other than it is read.",
  private_use:
    "Characters without a meaning of their own may stand for something that only the author knows.",
  control_characters: "Control characters have no place in a description.",
  terminal_escapes: "Escape sequences can repaint a terminal on which the text is shown.",
  look_alike_name: "The name has letters that look like others, so it can be taken for another tool.",
  look_alike_parameter: "A parameter's name has letters that look like others.",
  cross_tool_instruction: "The text tells a model how to use other tools, which is not this tool's to say.",
  hides_from_user: "The text asks a model to keep something from its user.",
  overrides_instructions: "The text tells a model to put aside what it was told before.",
  instruction_markup: "The text has marks with which instructions to models begin.",
  reads_secrets: "The text asks a model to read keys, passwords or files that hold some.",
  asks_for_secrets: "A parameter asks for a secret.",
  asks_for_conversation: "A parameter asks for the conversation or the instructions of the model.",
  encoded_blob: "A long encoded text stands in the definition; nobody can read what it says.",
  long_text: "The text is far longer than descriptions are. Something may be hidden in it.",
  padded_text: "Much empty space stands in the text, behind which more follows.",
  link_with_data: "An address in the text has room for data that a model would fill in.",
  hidden_comment: "A comment stands in the text that a page would not show.",
  unsearchable: "The text is too long or too deep to be searched for dangers.",
};
