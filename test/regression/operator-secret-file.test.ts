import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { haft } from "../cli/haft.ts";
import { waitFor } from "../kit/wait-for.ts";

const scene = (serve: object) => {
  const folder = mkdtempSync(join(tmpdir(), "haft-operator-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [file, config] = [join(folder, "op.txt"), join(folder, "haft.config.json")];
  writeFileSync(file, "secret-of-the-operator", { mode: 0o600 });
  writeFileSync(
    config,
    JSON.stringify({ skills: ["file-read"], config: { skills: { files: { read: ["."] } } }, serve }),
  );
  return { file, config };
};

const readFile = (config: string) => haft(["call", "file-read", '{"path":"op.txt"}', "-c", config]);

describe("the file of --operator-secret-file", () => {
  it.each<[string, readonly string[], object]>([
    ["haft serve", ["serve"], {}],
    ["haft serve --studio with tokens", ["serve", "--studio"], { tokens: true }],
    ["haft studio", ["studio"], {}],
  ])("is not read by file tools of %s", async (_, [name, ...words], { tokens }: { tokens?: boolean }) => {
    const auth = { tokens: [{ token: `sha256:${"0".repeat(64)}`, principal: { agent: "x", allow: ["*"] } }] };
    const { file, config } = scene(tokens === true ? { auth } : {});
    expect((await readFile(config)).out).toContain("secret-of");
    const stop = new AbortController();
    let out = "";
    const http = name === "serve" ? ["--http"] : [];
    const options = [...http, ...words, "--port", "0", "--json", "-c", config];
    const running = haft([name!, ...options, "--operator-secret-file", file], {
      signal: stop.signal,
      onOut: (text) => {
        out += text;
      },
    });
    await waitFor(() => expect(out).toContain("url"));
    const { error } = await readFile(config);
    stop.abort();
    await running;
    expect(error).toContain("never read");
  });
});
