import type { AnyCommand } from "./command.ts";
import { ab } from "./commands/ab.ts";
import { approvals } from "./commands/approvals.ts";
import { approve } from "./commands/approve.ts";
import { call } from "./commands/call.ts";
import { completion } from "./commands/completion.ts";
import { deny } from "./commands/deny.ts";
import { explain } from "./commands/explain.ts";
import { gramCheck, gramFormat } from "./commands/gram.ts";
import { lock } from "./commands/lock.ts";
import { log } from "./commands/log.ts";
import { mcpDiscover, mcpList, mcpRemove, mcpShow } from "./commands/mcp.ts";
import { mcpAdd } from "./commands/mcp-add.ts";
import { replay } from "./commands/replay.ts";
import { resume } from "./commands/resume.ts";
import { run } from "./commands/run.ts";
import { runs, runsGiveUp } from "./commands/runs.ts";
import { serve } from "./commands/serve.ts";
import { tools } from "./commands/tools.ts";
import { askServers } from "./lock/ask-servers.ts";
import { openServers } from "./mcp/open-servers.ts";

/** In the order in which the help lists them. */
export const commands: readonly AnyCommand[] = [
  run,
  call,
  tools,
  explain,
  serve,
  mcpDiscover,
  mcpAdd,
  mcpRemove,
  mcpList(openServers),
  mcpShow,
  lock(askServers),
  log,
  approvals,
  approve,
  deny,
  resume,
  runs,
  runsGiveUp,
  replay,
  ab,
  gramCheck,
  gramFormat,
  completion(() => commands),
];
