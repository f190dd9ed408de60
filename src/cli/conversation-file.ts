import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { validateConversation } from "../agent/validate-conversation.ts";
import type { Message } from "../words/message.ts";
import { Misuse } from "./misuse.ts";

/** A conversation as it was kept. A file that is not there yet is one that has not begun. */
export const readConversation = async (file: string): Promise<readonly Message[]> => {
  if (!existsSync(file)) return [];
  const messages = parse(file, await readFile(file, "utf8"));
  const [violation] = validateConversation(messages);
  if (violation !== undefined)
    throw new Misuse(`${file} is no conversation to go on with: ${violation.message}`);
  return messages;
};

/** Written beside and put in its place, so that nothing is lost when it breaks off. */
export const saveConversation = async (file: string, messages: readonly Message[]): Promise<void> => {
  await writeFile(`${file}.new`, `${JSON.stringify(messages, null, 2)}\n`);
  await rename(`${file}.new`, file);
};

const parse = (file: string, text: string): readonly Message[] => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Misuse(`${file} is not JSON. It should hold what an earlier --conversation kept there.`);
  }
};
