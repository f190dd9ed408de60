#!/usr/bin/env node
import { commands } from "./commands.ts";
import { runCommandLine } from "./run-command-line.ts";
import { processTerminal } from "./terminal.ts";

const terminal = processTerminal();
process.exitCode = await runCommandLine(process.argv.slice(2), commands, terminal);
terminal.close();
