// Messages for the people who run the program.

export function warn(what: string, error: unknown): void {
  console.warn(`countersign: ${what}: ${error instanceof Error ? error.message : String(error)}`);
}
