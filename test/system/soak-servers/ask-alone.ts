// allow-sleep in this file: a foreign server may never answer
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const withinMs = 60_000;

/**
 * Lists the tool names of a server without a gateway or library, to check that a gateway loses none. A tool
 * without a name counts as `undefined`.
 */
export const askAlone = async ({ command, args, cwd, env }: Launch): Promise<readonly unknown[]> => {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  const waiting = new Map<number, (result: Record<string, unknown>) => void>();
  let failed = (_: Error): void => {};
  const failure = new Promise<never>((_, reject) => {
    failed = reject;
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = `${errors}${text}`.slice(-400);
  });
  child.stdin.on("error", () => {});
  child.once("error", failed);
  child.once("exit", (code) => failed(new Error(`it ended with ${code}: ${errors.trim()}`)));
  const timer = setTimeout(() => failed(new Error(`it was silent for ${withinMs} ms: ${errors}`)), withinMs);
  createInterface({ input: child.stdout }).on("line", (line) => {
    try {
      const { id, result, error } = JSON.parse(line);
      if (error !== undefined && waiting.has(id)) failed(new Error(JSON.stringify(error)));
      else waiting.get(id)?.(result);
    } catch {
      // Some servers print a banner to their standard output.
    }
  });
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let last = 0;
  const ask = (method: string, params: object): Promise<Record<string, unknown>> => {
    const id = ++last;
    send({ id, method, params });
    return Promise.race([
      new Promise<Record<string, unknown>>((resolve) => waiting.set(id, resolve)),
      failure,
    ]);
  };
  try {
    const capabilities = {
      elicitation: { form: {}, url: {} },
      sampling: { tools: {}, context: {} },
      roots: { listChanged: true },
      extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
    };
    const clientInfo = { name: "soak", version: "1" };
    await ask("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo });
    send({ method: "notifications/initialized" });
    const names: unknown[] = [];
    let cursor: unknown;
    do {
      const page = await ask("tools/list", cursor === undefined ? {} : { cursor });
      for (const tool of page.tools as readonly { readonly name?: unknown }[]) names.push(tool?.name);
      cursor = page.nextCursor;
    } while (typeof cursor === "string");
    return names;
  } finally {
    clearTimeout(timer);
    failure.catch(() => {});
    try {
      process.kill(-(child.pid as number), "SIGKILL");
    } catch {
      // It has ended already.
    }
  }
};
