import { type Era, honest, type Message, send } from "./honest.ts";
import type { Hostility } from "./hostility.ts";
import { lifeHostilities } from "./life-hostilities.ts";
import { wireHostilities } from "./wire-hostilities.ts";

/** `server.ts MODE [legacy|modern] [MARK]`: a stdio server with one misbehavior, or none in mode `good`. */
const [mode = "good", given = "legacy"] = process.argv.slice(2);
const era: Era = given === "modern" ? "modern" : "legacy";
const modes: Readonly<Record<string, Hostility>> = { good: {}, ...wireHostilities, ...lifeHostilities };
const hostility = modes[mode];
if (hostility === undefined)
  throw new Error(`Unknown mode ${mode}. The modes are ${Object.keys(modes).join(", ")}.`);

process.stdout.on("error", () => undefined);
process.stderr.on("error", () => undefined);
hostility.start?.(era);

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const message = JSON.parse(line) as Message;
    if (hostility.onMessage?.(message, era)) continue;
    const answer = honest(message, era);
    if (answer !== undefined) send(answer);
  }
});
process.stdin.on("end", () => {
  // allow-sleep: the process stays alive
  if (hostility.stays) setInterval(() => undefined, 1000);
  else process.exit(0);
});
