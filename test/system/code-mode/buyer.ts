import { openShop, purchase } from "./shop.ts";

/** Starts the purchase, prints its pending reply, and waits to be killed. */
const [ledger = "", witness = ""] = process.argv.slice(2);
const haft = await openShop(ledger, witness);
const [reply] = await haft.turn([{ id: "purchase", tool: "run-code", input: { source: purchase } }]);
process.stdout.write(`${JSON.stringify(reply)}\n`);
// allow-sleep: the process stays alive until it is killed
setInterval(() => {}, 60_000);
