import { Haft } from "../../../../src/exports/index.ts";

/** Waits for one server, and has nothing else to do. */
const haft = await Haft.open({ mcp: { lock: false } });
const state = await haft.mcp.connect({ id: "files", command: "no-such-command" }).catch(({ code }) => code);
console.log(state);
