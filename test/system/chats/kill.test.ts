import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DefaultChatTransport, type UIMessage, type UIMessageChunk } from "ai";
import { expect, it, onTestFinished } from "vitest";
import { userUiMessage } from "../../kit/chat-scene.ts";
import { bundleProgram } from "../kit/bundle-program.ts";

const messages = process.env.HAFT_SOAK === undefined ? 5 : 60;

/** Seeded, so that failures can be reproduced. */
const randomOf = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

it(
  "a chat server killed during answers loses no message and runs no payment twice",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "haft-chat-kill-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const program = await bundleProgram(new URL("victim.ts", import.meta.url), folder);
    const random = randomOf(7);
    let server: ChildProcess | undefined;
    let address = "";
    let kills = 0;
    const start = async (): Promise<void> => {
      server = spawn(process.execPath, ["--no-warnings", program, folder], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [line] = await once(server.stdout!, "data");
      address = `http://127.0.0.1:${String(line).trim()}/chat`;
    };
    const kill = async (): Promise<void> => {
      const gone = once(server!, "exit");
      server!.kill("SIGKILL");
      await gone;
      kills += 1;
    };
    onTestFinished(() => void server?.kill("SIGKILL"));

    /** Reads the stream to its end, or kills the server after `behind` chunks. */
    const readOrKill = async (
      stream: ReadableStream<UIMessageChunk> | null,
      behind: number,
    ): Promise<void> => {
      let read = 0;
      let isKilled = false;
      try {
        for await (const chunk of (stream ?? []) as AsyncIterable<UIMessageChunk>) {
          read += 1;
          if (chunk.type === "error") throw new Error(chunk.errorText);
          if (read !== behind) continue;
          isKilled = true;
          await kill();
        }
      } catch (error) {
        if (!isKilled) throw error;
      }
    };
    const show = async (): Promise<readonly UIMessage[]> => {
      const shown = (await (await fetch(`${address}/c`)).json()) as { messages?: UIMessage[] };
      return shown.messages ?? [];
    };
    const isAnswered = (all: readonly UIMessage[], id: string): boolean =>
      all.some((each) => each.id === `${id}-answer` && JSON.stringify(each).includes("all is paid."));

    await start();
    for (let number = 0; number < messages; number += 1) {
      const id = `m${number}`;
      for (let attempt = 0; !isAnswered(await show(), id); attempt += 1) {
        const transport = new DefaultChatTransport<UIMessage>({ api: address });
        const wasSent = (await show()).some((each) => each.id === id);
        const stream =
          wasSent && random() < 0.7
            ? await transport.reconnectToStream({ chatId: "c" })
            : await transport.sendMessages({
                chatId: "c",
                messages: [userUiMessage(id, id)],
                trigger: "submit-message",
                messageId: undefined,
                abortSignal: undefined,
              });
        const behind = attempt < 2 ? 1 + Math.floor(random() * 28) : Number.POSITIVE_INFINITY;
        await readOrKill(stream, behind);
        if (server?.exitCode !== null || server?.signalCode !== null) await start();
        expect(attempt).toBeLessThan(10);
      }
    }
    const shown = await show();
    expect(shown.map(({ id }) => id)).toEqual(
      Array.from({ length: messages }, (_, number) => [`m${number}`, `m${number}-answer`]).flat(),
    );
    expect(kills).toBeGreaterThanOrEqual(messages);
    const paid = existsSync(join(folder, "paid"))
      ? readFileSync(join(folder, "paid"), "utf8").trim().split("\n")
      : [];
    expect(new Set(paid).size).toBe(paid.length);
    // Calls in flight when the server died are not repeated; all others ran.
    expect(paid.length).toBeGreaterThan(messages * 4);
  },
  180_000 * (process.env.HAFT_SOAK === undefined ? 1 : 10),
);
