import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const answer = (status: number, value: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  if (request.url !== "/token") {
    const user = /^Bearer access-(\w+)-\d+$/.exec(request.headers.authorization ?? "")?.[1];
    return answer(user === undefined ? 401 : 200, { owner: user, events: ["Tea"] });
  }
  const form = new URLSearchParams(body);
  const user = (form.get("code") ?? form.get("refresh_token") ?? "").replace(/^\w+-/, "");
  if (form.get("grant_type") === "refresh_token") service.refreshes += 1;
  return answer(200, {
    access_token: `access-${user}-${service.refreshes}`,
    refresh_token: `refresh-${user}`,
    token_type: "Bearer",
    // Expires at once, so that it is refreshed at every use.
    expires_in: 0,
  });
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
process.env.CALENDAR_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

// A temporary folder for files of this example.
const folder = await mkdtemp(join(tmpdir(), "haft-credentials-"));
process.chdir(folder);
await writeFile("calendar-client", "s3cret-of-the-client\n", { mode: 0o600 });

/** A calendar with its own users. A code or a refresh token contains its user; real ones are opaque. */
export const service = {
  refreshes: 0,
  close: async () => {
    server.close();
    await rm(folder, { recursive: true });
  },
};
