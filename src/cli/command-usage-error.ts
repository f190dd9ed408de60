export class CommandUsageError extends Error {
  override readonly name = "CommandUsageError";
}
