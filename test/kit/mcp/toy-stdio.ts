import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { toyServer } from "./toy-server.ts";

// Run as a child process: `both` serves either era, `modern` only the new one, `legacy` is a server of the
// old era.
if (process.argv[2] === "legacy") await toyServer().connect(new StdioServerTransport());
else serveStdio(() => toyServer(), { legacy: process.argv[2] === "modern" ? "reject" : "serve" });
