import { mkdtemp, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { haft } from "./haft.ts";

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const document = (server: string): string => `openapi: "3.0.3"
info: {title: Pets, version: "1"}
servers: [{url: "${server}"}]
paths:
  /pets:
    get: {operationId: listPets, summary: Lists pets, tags: [pets], security: [{key: []}]}
    post: {operationId: makePet, summary: Makes a pet, tags: [pets], callbacks: {done: {}}}
  /shops:
    get: {operationId: listShops, tags: [shops]}
components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
`;

/** A project with a configuration, and a service that also serves its own document. */
const project = async (config: object = {}) => {
  const folder = await mkdtemp(join(tmpdir(), "haft-import-"));
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers["x-key"] ?? ""}`);
    if (request.url === "/openapi.yaml") response.end(document(origin));
    else if (request.url === "/openapi.json")
      response.end(
        JSON.stringify({ openapi: "3.1.0", servers: [{ url: origin }], paths: { "/a": { get: {} } } }),
      );
    else response.writeHead(200, { "content-type": "application/json" }).end('["Minka"]');
  });
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const origin = `http://${place}`;
  const file = join(folder, "pets.yaml");
  await writeFile(file, document(origin));
  const configuration = join(folder, "haft.config.json");
  await writeFile(configuration, JSON.stringify({ httpEgress: { allow: [place] }, ...config }));
  const run = (...words: string[]) => haft([...words, "-c", configuration]);
  const kept = async () => JSON.parse(await readFile(join(folder, "haft.openapi.json"), "utf8"));
  return { folder, file, origin, seen, run, kept };
};

describe("haft import openapi", () => {
  it("records a document, whose tools are then available to every command", async () => {
    const credentials = { values: { PETS_KEY: "k3y" } };
    const { file, run, kept, seen } = await project({ credentials });
    const { code, out, error } = await run(
      "import",
      "openapi",
      file,
      "--select",
      "tag:pets",
      "--prefix",
      "shop_",
    );
    expect(code).toBe(0);
    expect(out).toContain("shop_listPets");
    expect(out).toMatch(/added 2 tools of pets to .*haft\.openapi\.json/);
    expect(error).toContain("PETS_KEY  for key");
    expect(error).toContain("! POST /pets: Callbacks are omitted");
    expect(await kept()).toEqual({
      documents: {
        pets: {
          document: "pets.yaml",
          select: { tags: ["pets"] },
          auth: { key: { secret: "PETS_KEY" } },
          prefix: "shop_",
        },
      },
    });
    const tools = await run("tools", "--json", "--allow", "shop_*");
    expect(
      tools.out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).name),
    ).toEqual(["shop_listPets", "shop_makePet"]);
    const called = await run("call", "shop_listPets", "{}");
    expect(called).toMatchObject({ code: 0, out: expect.stringContaining("Minka") });
    expect(seen).toEqual(["/pets k3y"]);
  });

  it("shows the tools with --dry-run and writes nothing", async () => {
    const { folder, file, run } = await project();
    const { code, out } = await run(
      "import",
      "openapi",
      file,
      "--dry-run",
      "--select",
      "GET",
      "--select",
      "list*",
    );
    expect(code).toBe(0);
    expect(out).toMatch(/2 tools would be added/);
    expect(await readdir(folder)).toEqual(["haft.config.json", "pets.yaml"]);
  });

  it("fetches a URL through the guarded client and keeps a local copy", async () => {
    const { folder, origin, run, kept, seen } = await project();
    const { code } = await run("import", "openapi", `${origin}/openapi.yaml`, "--id", "far");
    expect(code).toBe(0);
    expect(await kept()).toMatchObject({
      documents: { far: { document: "far.openapi.yaml", documentUrl: `${origin}/openapi.yaml` } },
    });
    expect(await readFile(join(folder, "far.openapi.yaml"), "utf8")).toContain("listPets");
    await run("tools");
    expect(seen).toEqual(["/openapi.yaml "]);
    const refused = await haft(["import", "openapi", `${origin}/openapi.yaml`, "--dry-run"]);
    expect(refused.code).toBe(2);
    expect(refused.error).toContain("cannot be fetched: The HTTP client refused");
  });

  it("prints one line of JSON with tools, secrets and losses", async () => {
    const { file, run } = await project();
    const { out } = await run("import", "openapi", file, "--json", "--dry-run");
    expect(JSON.parse(out)).toMatchObject({
      id: "pets",
      added: false,
      tools: ["listPets", "makePet", "listShops"],
      secrets: [{ name: "PETS_KEY", for: "key" }],
      losses: [{ operation: "POST /pets", pointer: "/paths/~1pets/post/callbacks" }],
    });
  });

  it("refuses a second document under one id without --replace", async () => {
    const { file, run, kept } = await project();
    await run("import", "openapi", file);
    const again = await run("import", "openapi", file, "--prefix", "x_");
    expect(again).toMatchObject({ code: 2, error: expect.stringContaining("has a document pets already") });
    expect((await run("import", "openapi", file, "--prefix", "x_", "--replace")).code).toBe(0);
    expect(await kept()).toMatchObject({ documents: { pets: { prefix: "x_" } } });
  });

  it.each([
    [[], "requires one document"],
    [["gone.yaml"], "There is no document at gone.yaml."],
    [["BROKEN"], "cannot be read as YAML"],
    [["OTHER"], "has no version"],
    [["FILE", "--select", "tag:none"], "No operation of"],
    [["FILE", "--id", "a b"], '"a b" is not a valid id'],
    [["FILE", "--server", "nowhere"], "No operation of the OpenAPI document can be a tool"],
  ])("exits with 2 for %j and says: %s", async (words, message) => {
    const { folder, file, run } = await project();
    await writeFile(join(folder, "broken.yaml"), "a: [b");
    await writeFile(join(folder, "other.yaml"), "a: b");
    const places: Record<string, string> = {
      FILE: file,
      BROKEN: join(folder, "broken.yaml"),
      OTHER: join(folder, "other.yaml"),
    };
    const { code, error } = await run("import", "openapi", ...words.map((word) => places[word] ?? word));
    expect(code).toBe(2);
    expect(error).toContain(message);
    expect(await readdir(folder)).not.toContain("haft.openapi.json");
  });
});

describe("openapi in a configuration", () => {
  it("names documents relative to its folder, with the options of fromOpenApi", async () => {
    const { run } = await project({
      openapi: [{ document: "pets.yaml", select: { methods: ["GET"] }, prefix: "my_" }],
    });
    const { out } = await run("tools", "--json", "--allow", "my_*");
    expect(
      out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).name),
    ).toEqual(["my_listPets", "my_listShops"]);
  });

  it.each([
    [{ document: "gone.yaml" }, "openapi[0]: the document gone.yaml does not exist."],
    [
      { document: "https://api.example/openapi.json" },
      "Import a copy first: haft import openapi https://api.example/openapi.json",
    ],
    [{ document: "pets.yaml", selct: {} }, "has an unknown field `selct`"],
    ["pets.yaml", "must be an object such as"],
  ])("refuses %j and names its position", async (source, message) => {
    const { run } = await project({ openapi: [source] });
    const { code, error } = await run("tools");
    expect(code).toBe(2);
    expect(error).toContain(message);
  });

  it("replaces an existing file only with --replace, and never writes through a link", async () => {
    const { folder, origin, run } = await project();
    const url = `${origin}/openapi.yaml`;
    const other = join(folder, "far.openapi.yaml");
    await writeFile(other, "mine");
    const refused = await run("import", "openapi", url, "--id", "far");
    expect([refused.code, refused.error]).toEqual([2, expect.stringContaining("already exists")]);
    expect(await readFile(other, "utf8")).toBe("mine");
    expect((await run("import", "openapi", url, "--id", "far", "--replace")).code).toBe(0);
    const target = join(folder, "precious.txt");
    await writeFile(target, "precious");
    await symlink(target, join(folder, "link.openapi.yaml"));
    const linked = await run("import", "openapi", url, "--id", "link", "--replace");
    expect([linked.code, linked.error]).toEqual([2, expect.stringContaining("is not a regular file")]);
    expect(await readFile(target, "utf8")).toBe("precious");
  });

  it("refuses an id whose copy would replace the list of documents", async () => {
    const { folder, origin, run } = await project();
    for (const id of ["haft", "HAFT"]) {
      const own = await run("import", "openapi", `${origin}/openapi.json`, "--id", id);
      expect([own.code, own.error]).toEqual([2, expect.stringContaining("Use another --id")]);
    }
    expect(await readdir(folder)).toEqual(["haft.config.json", "pets.yaml"]);
  });

  it("lists the hosts of the tools and flags a host that is not the document's own", async () => {
    const { folder, run } = await project();
    const file = join(folder, "far.json");
    const get = { operationId: "far", security: [{ key: [] }], servers: [{ url: "https://files.example" }] };
    await writeFile(
      file,
      JSON.stringify({
        openapi: "3.1.0",
        servers: [{ url: "https://api.example/v1" }],
        security: [{ key: [] }],
        paths: { "/near": { get: { operationId: "near" } }, "/far": { get } },
        components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
      }),
    );
    const { out, error } = await run("import", "openapi", file, "--dry-run");
    expect(out).toMatch(/near +api\.example/);
    expect(out).toContain("https://api.example: 1 tool, with FAR_KEY\n");
    expect(out).toContain("! https://files.example: 1 tool, without a credential.");
    expect(error).toContain("authOrigins");
    const json = await run("import", "openapi", file, "--dry-run", "--json");
    expect(JSON.parse(json.out).requests).toEqual([
      {
        tool: "near",
        operation: "GET /near",
        server: "https://api.example/v1",
        credentials: ["FAR_KEY"],
        isElsewhere: false,
      },
      {
        tool: "far",
        operation: "GET /far",
        server: "https://files.example",
        credentials: [],
        isElsewhere: true,
      },
    ]);
  });

  it("keeps file tools from changing a document that the configuration names", async () => {
    const { folder, file, origin, run } = await project({
      skills: ["file-read", "file-write"],
      config: { skills: { files: { read: ["."], write: ["."] } } },
      openapi: [{ document: "own.yaml", prefix: "own_" }],
    });
    await writeFile(join(folder, "own.yaml"), document(origin));
    await run("import", "openapi", file, "--id", "pets");
    await run("import", "openapi", `${origin}/openapi.yaml`, "--id", "far", "--prefix", "far_");
    for (const path of ["own.yaml", "pets.yaml", "far.openapi.yaml"]) {
      const input = { path, content: document("https://evil.example"), mode: "overwrite" };
      const { code, error } = await run("call", "file-write", JSON.stringify(input));
      expect([code, error]).toEqual([1, expect.stringContaining("never write")]);
      expect(await readFile(join(folder, path), "utf8")).toBe(document(origin));
      expect((await run("call", "file-read", JSON.stringify({ path }))).out).toContain("Lists pets");
    }
  });
});
