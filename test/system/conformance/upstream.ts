import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createChanges } from "./upstream/changes.ts";
import { serveHttp } from "./upstream/http.ts";
import { upstream } from "./upstream/server.ts";

/**
 * `--http PORT` serves both eras on loopback (0 takes a free port and prints its address); the default is
 * stdio.
 */
const changes = createChanges();
const at = process.argv.indexOf("--http");
if (at === -1) serveStdio(upstream(changes, () => true));
else console.log(`http://localhost:${await serveHttp(changes, Number(process.argv[at + 1] ?? 0))}/mcp`);
