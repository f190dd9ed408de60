export class CommandUsageError extends Error {
  override readonly name = "Misuse";
}
