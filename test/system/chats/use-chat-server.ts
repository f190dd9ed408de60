import fs, { readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { serve } from "@hono/node-server";

import { GET, POST } from "../../../examples/44-use-chat/route.ts";

/** Serves the route and the page of the example. Arguments: folder of the page, port. */
const [page = "", port = "0"] = process.argv.slice(2);

// Ends the process during the call, after its effect.
if (process.env.DIE_AFTER_SENDING === "1") {
  const { appendFileSync } = fs;
  fs.appendFileSync = (...words) => {
    appendFileSync(...words);
    process.kill(process.pid, "SIGKILL");
  };
  syncBuiltinESMExports();
}

const types: Readonly<Record<string, string>> = { html: "text/html", js: "text/javascript", css: "text/css" };

const handle = async (request: Request): Promise<Response> => {
  const { pathname } = new URL(request.url);
  if (pathname === "/api/chat") return await (request.method === "POST" ? POST(request) : GET(request));
  const file = pathname === "/" ? "index.html" : pathname.slice(1);
  const type = types[file.split(".").at(-1) ?? ""];
  if (type === undefined) return new Response(null, { status: 404 });
  return new Response(readFileSync(join(page, file)), { headers: { "content-type": type } });
};

serve({ fetch: handle, hostname: "127.0.0.1", port: Number(port) }, (address) =>
  process.stdout.write(`${address.port}\n`),
);
