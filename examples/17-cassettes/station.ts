import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const server = createServer((request, response) => {
  station.asked += 1;
  const city = decodeURIComponent(request.url?.split("/").at(-1) ?? "");
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ city, celsius: 4 }));
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
process.env.WEATHER_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

// A temporary folder for files of this example.
const folder = mkdtempSync(join(tmpdir(), "haft-example-"));
process.chdir(folder);

/** A local weather service that counts its requests. */
export const station = {
  asked: 0,
  close: () => {
    server.close();
    server.closeAllConnections();
  },
  clear: () => rmSync(folder, { recursive: true }),
};
