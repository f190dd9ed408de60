import { isUtf8 } from "node:buffer";
import { existsSync } from "node:fs";
import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { validateConversation } from "../../agent/validate-conversation.ts";
import type { Agent, AgentResponse } from "../../types/agent.ts";
import {
  type ContentPart,
  type DataPart,
  formatBytes,
  type MediaKind,
  type Message,
} from "../../types/message.ts";
import { agentOptions, toRunOptions } from "../agent-options.ts";
import { CommandUsageError, command, exitCodes, type Terminal } from "../command.ts";
import { loadAgent } from "../load-agent.ts";
import { openRuntime } from "../open-runtime.ts";
import { exitCodeByStatus, printPendingHint, runAgentOnce } from "../run-once.ts";
import { painter, toJsonLine } from "../screen.ts";

const mediaTypeByExtension: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
  wav: "audio/wav",
  mp3: "audio/mpeg",
  flac: "audio/flac",
  ogg: "audio/ogg",
  m4a: "audio/mp4",
  mp4: "video/mp4",
  pdf: "application/pdf",
  json: "application/json",
  csv: "text/csv",
  md: "text/markdown",
  html: "text/html",
  txt: "text/plain",
  zip: "application/zip",
};

/** In hexadecimal. Signatures take precedence over the file extension. */
const mediaTypeBySignature: readonly (readonly [pattern: RegExp, mediaType: string])[] = [
  [/^89504e470d0a1a0a/, "image/png"],
  [/^ffd8ff/, "image/jpeg"],
  [/^47494638/, "image/gif"],
  [/^52494646.{8}57454250/, "image/webp"],
  [/^52494646.{8}57415645/, "audio/wav"],
  [/^(494433|fff[23ab])/, "audio/mpeg"],
  [/^664c6143/, "audio/flac"],
  [/^4f676753/, "audio/ogg"],
  [/^25504446/, "application/pdf"],
];

/** No provider accepts more in one request. */
const maxAttachmentBytes = 104_857_600;

const readAttachment = async (path: string): Promise<DataPart> => {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) throw new CommandUsageError(`--file ${path}: this file does not exist.`);
  if (!facts.isFile())
    throw new CommandUsageError(`--file ${path} is not a file. Pass each file separately.`);
  if (facts.size === 0) throw new CommandUsageError(`--file ${path} is empty.`);
  if (facts.size > maxAttachmentBytes) {
    throw new CommandUsageError(
      `--file ${path} has ${formatBytes(facts.size)}; the maximum is ${formatBytes(maxAttachmentBytes)}.`,
    );
  }
  const bytes = await readFile(path).catch((error: Error) => {
    throw new CommandUsageError(`--file ${path} cannot be read: ${error.message}`);
  });
  const mediaType = detectMediaType(path, bytes);
  return {
    kind: mediaKindOf(mediaType),
    mediaType,
    name: attachmentName(path),
    data: bytes.toString("base64"),
  };
};

const detectMediaType = (path: string, bytes: Buffer): string => {
  const start = bytes.subarray(0, 16).toString("hex");
  const known = mediaTypeBySignature.find(([pattern]) => pattern.test(start))?.[1];
  if (known !== undefined) return known;
  const ending = extname(path).slice(1).toLowerCase();
  const said = Object.hasOwn(mediaTypeByExtension, ending) ? mediaTypeByExtension[ending]! : undefined;
  if (said !== undefined) return said;
  return isUtf8(bytes) ? "text/plain" : "application/octet-stream";
};

const mediaKindOf = (mediaType: string): MediaKind => {
  const [top] = mediaType.split("/", 1);
  return top === "image" || top === "audio" ? top : "file";
};

const attachmentName = (path: string): string => basename(path).slice(-255);

export const run = command({
  operands: "AGENT [INPUT]",
  options: {
    conversation: {
      type: "string",
      value: "FILE",
      about: "continue the conversation in this file, and update the file",
    },
    file: {
      type: "string",
      short: "f",
      multiple: true,
      value: "FILE",
      about: "an image, audio or other file to attach; repeatable",
    },
    ...agentOptions,
  },
  examples: [
    { line: `haft run hello.gram "Hello, I'm Ada"`, about: "one answer" },
    { line: "haft run hello.gram", about: "chat with the agent; an empty line or Ctrl-D ends it" },
    {
      line: `haft run shop.ts "Where is my order?" --model openai/gpt-5 --conversation talk.json`,
      about: "continue the conversation where it stopped",
    },
    { line: `haft run clerk.gram "What does this cost?" --file invoice.png`, about: "with an image" },
    { line: `haft run shop.ts "Refund order 7" --record`, about: "store what haft replay needs" },
  ],
  run: async ({ options, operands, terminal }) => {
    const [file, ...words] = operands;
    if (file === undefined)
      throw new CommandUsageError("haft run requires the file of an agent: .gram, .json, .ts or .js.");
    const loaded = await loadAgent(file, options, terminal);
    const common = toRunOptions(options, loaded, terminal);
    await using opened = await openRuntime({ ...options, model: undefined }, terminal, {
      agent: loaded.agent.name,
      ledger: "default",
    });
    const { haft } = opened;
    const keep = options.conversation;
    let files: readonly ContentPart[] = await Promise.all((options.file ?? []).map(readAttachment));
    const answer = async (said: string, context: AgentResponse["context"]): Promise<AgentResponse> => {
      const asked = { haft, agent: loaded.agent };
      const input = files.length === 0 ? said : [...(said === "" ? [] : [toTextPart(said)]), ...files];
      files = [];
      const response = await runAgentOnce(asked, input, { ...common, context }, options, terminal);
      if (keep !== undefined) await saveConversation(keep, response.context);
      if (options.json !== true)
        printPendingHint(response, { file, ledger: opened.ledger }, options, terminal);
      return response;
    };
    const before = keep === undefined ? [] : await readConversation(keep);
    const input = words.join(" ") || (await terminal.input()).trim();
    const isChat = input === "" && terminal.isInteractive;
    if (input === "" && !isChat && files.length === 0)
      throw new CommandUsageError("haft run requires an input: a text after the agent, or standard input.");
    const response = isChat
      ? await runChatLoop(loaded, terminal, before, answer)
      : await answer(input, before);
    if (terminal.signal.aborted) return exitCodes.cancelled;
    if (response === undefined) return exitCodes.done;
    if (options.json === true) terminal.out(toJsonLine(response));
    return exitCodeByStatus[response.status];
  },
});

const toTextPart = (text: string): ContentPart => ({ kind: "text", text });

const runChatLoop = async (
  { agent }: { readonly agent: Agent },
  terminal: Terminal,
  before: readonly Message[],
  answer: (input: string, context: readonly Message[]) => Promise<AgentResponse>,
): Promise<AgentResponse | undefined> => {
  const { dim, bold } = painter(terminal);
  terminal.error(dim(`Talking with ${agent.name}. An empty line or Ctrl-D ends it.\n`));
  let context = before;
  let response: AgentResponse | undefined;
  while (!terminal.signal.aborted) {
    const input = (await terminal.ask(bold("you> "), { ahead: true }))?.trim() ?? "";
    if (input === "") break;
    response = await answer(input, context);
    context = response.context;
    if (response.status === "cancelled") break;
  }
  return response;
};

const readConversation = async (file: string): Promise<readonly Message[]> => {
  if (!existsSync(file)) return [];
  const messages = parseConversation(file, await readFile(file, "utf8"));
  const [violation] = validateConversation(messages);
  if (violation !== undefined)
    throw new CommandUsageError(`${file} is not a conversation that can be continued: ${violation.message}`);
  return messages;
};

/** An interrupted write keeps the old file. */
const saveConversation = async (file: string, messages: readonly Message[]): Promise<void> => {
  await writeFile(`${file}.new`, `${JSON.stringify(messages, null, 2)}\n`);
  await rename(`${file}.new`, file);
};

const parseConversation = (file: string, text: string): readonly Message[] => {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandUsageError(`${file} is not JSON. It must be a file that --conversation wrote.`);
  }
};
