import type { AnyCommand } from "./command.ts";
import { ab } from "./commands/ab.ts";
import { call } from "./commands/call.ts";
import { completion } from "./commands/completion.ts";
import { explain } from "./commands/explain.ts";
import { gramCheck, gramFormat } from "./commands/gram.ts";
import { run } from "./commands/run.ts";
import { tools } from "./commands/tools.ts";

/** In the order in which the help lists them. */
export const commands: readonly AnyCommand[] = [
  run,
  call,
  tools,
  explain,
  ab,
  gramCheck,
  gramFormat,
  completion(() => commands),
];
