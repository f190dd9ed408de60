import { Haft } from "../../../../src/exports/index.ts";

/** Child program that only waits for one server. */
const haft = await Haft.open({ mcp: { lock: false } });
const state = await haft.mcp.connect({ id: "files", command: "no-such-command" }).catch(({ code }) => code);
console.log(state);
