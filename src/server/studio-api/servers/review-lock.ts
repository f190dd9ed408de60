import { canonicalJson, hashJson } from "../../../base/json/canonical-json.ts";
import { replaceFile } from "../../../base/platform/replace-file.ts";
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
import { readLockFile } from "../../../mcp/lock/stored-lock.ts";
import { writeLock } from "../../../mcp/lock/write-lock.ts";
import { ToolError } from "../../../types/errors.ts";
import { HttpError } from "../../request/http-error.ts";
import type { ApiContext } from "../api-context.ts";
import { notFoundError } from "../api-error.ts";
import { definedFields, toText } from "../read-query.ts";
import type { ApprovedReview, ApproveReviewBody, LockReview, ReviewedTool } from "../schemas/servers.ts";
import type { StudioServices } from "../studio-services.ts";
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
    throw new HttpError(
      409,
      "no_lock",
      "The runtime uses no lock, because it was opened with `mcp.lock: false`.",
    );
  }
  const lock = await readLockFile(services.lock);
  if (ToolError.is(lock)) throw new HttpError(409, "corrupt_lock", `${services.lock}: ${lock.message}`);
  const server = services.configured.find((each) => each.id === id);
  if (server === undefined) throw notFoundError(`configuration of the server "${id}"`);
  const listing = await listServerTools(services.servers.session(id), server);
  const review = compareLock(lock, [listing]);
  const reviewed = review.servers.find((each) => each.id === id);
  if (reviewed === undefined) throw notFoundError(`review of the server "${id}"`);
  return { file: services.lock, lock, listing, review, server: reviewed };
};

type McpListingSession = Parameters<typeof readPageHashes>[0];

/** Starts no servers: that is left to `haft lock`, which asks first. */
const listServerTools = async (
  session: McpListingSession | undefined,
  server: ServerListing["server"],
): Promise<ServerListing> => {
  if (session === undefined) {
    return {
      server,
      tools: [],
      trouble: `The server is not connected. Start it for a review with haft lock ${server.id}.`,
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

/** Covers everything that the reviewer sees. */
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
    problem ?? (lookalikeOf === undefined ? undefined : `It has a lookalike name of ${lookalikeOf}.`);
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

/** Writes of a lock file run one after another, because each one reads the file first. */
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

/** Tools with flags must be accepted by name. */
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
    const message =
      "The tools of the server or the lock have changed since the review was shown. Review them again.";
    throw new HttpError(409, "review_changed", message, {
      body: { review: toLockReview(reviewed) },
    });
  }
  if (server.trouble !== undefined) throw new HttpError(409, "not_reviewed", server.trouble);
  const isChosen = (name: string): boolean => tools === undefined || tools.includes(name);
  const hasLaunchChanged =
    server.was !== undefined && server.now !== undefined && !isSameLaunch(server.was, server.now);
  if (hasLaunchChanged && tools !== undefined) {
    const message =
      "The start command of the server has changed, which affects all its tools. Approve the whole server, without `tools`.";
    throw new HttpError(422, "invalid", message);
  }
  const flagged = server.tools
    .filter((tool) => isChosen(tool.name) && findOpenDangers(tool).length > 0 && tool.change !== "refused")
    .filter(({ name }) => !accept.includes(name));
  if (flagged.length > 0) {
    const message = `These tools have flags that were not accepted: ${flagged.map(({ name }) => name).join(", ")}. Name them in \`accept\`.`;
    throw new HttpError(422, "flags_not_accepted", message);
  }
  const { id } = server;
  const next = acceptReview(lock, [listing], review, {
    server: (each) => (each === id ? tools === undefined : false),
    tool: (each, name) => each === id && isChosen(name),
  });
  const text = writeLock(keepOtherServers(lock, next, id));
  // Throws if the text is not a valid lock, which would disable all servers.
  readLock(text);
  await replaceFile(file, text);
  const approved = server.tools.filter(({ name, change }) => change !== "same" && isChosen(name));
  const names = approved.map(({ name }) => name).join(", ");
  const what = approved.length === 0 ? `the start command of ${id}` : `${names} of ${id}`;
  studio.logs.note(id, `${person.name} approved ${what}`);
  return { written: true, lock: file, message: `Approved ${what}. The lock ${file} was updated.` };
};

const keepOtherServers = (lock: Lock | undefined, next: Lock, id: string): Lock => ({
  ...next,
  servers: {
    ...Object.fromEntries(Object.entries(lock?.servers ?? {}).filter(([each]) => each !== id)),
    ...Object.fromEntries(Object.entries(next.servers).filter(([each]) => each === id)),
  },
});

const flagMeanings: Readonly<Record<FlagCode, string>> = {
  tag_characters:
    "Contains characters of the Unicode tag block. People cannot see them, and models read them.",
  invisible_characters: "Contains zero-width characters. People cannot see them, and models read them.",
  bidi_controls:
    "Contains characters that change the writing direction, so the text looks different than it reads.",
  private_use: "Contains private-use characters, whose meaning only the author knows.",
  control_characters: "Contains control characters, which do not belong in a description.",
  terminal_escapes: "Contains escape sequences, which can change what a terminal shows.",
  look_alike_name: "The name contains letters that look like others, so it can be mistaken for another tool.",
  look_alike_parameter: "The name of a parameter contains letters that look like others.",
  cross_tool_instruction: "The text instructs the model to use other tools in a certain way.",
  hides_from_user: "The text instructs the model to hide something from the user.",
  overrides_instructions: "The text instructs the model to ignore its earlier instructions.",
  instruction_markup: "The text contains markup that marks instructions for a model.",
  reads_secrets: "The text instructs the model to read keys, passwords or files that contain them.",
  asks_for_secrets: "A parameter asks for a secret.",
  asks_for_conversation: "A parameter asks for the conversation or the instructions of the model.",
  encoded_blob: "Contains a long encoded text, which a reviewer cannot read.",
  long_text: "The text is much longer than a description. It may hide instructions.",
  padded_text: "The text contains a large blank area with more text after it.",
  link_with_data: "The text contains a URL with a place for data that the model would fill in.",
  hidden_comment: "The text contains a comment, which a rendered page does not show.",
  unsearchable: "The text is too long or too deeply nested to be checked.",
};
