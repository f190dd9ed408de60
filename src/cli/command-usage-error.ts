/** The command line makes no sense; the message says what would. */
export class CommandUsageError extends Error {
  override readonly name = "Misuse";
}
