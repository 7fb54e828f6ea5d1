type Step = () => unknown

/** Releases what a run opened, newest first. A step added after `run` is executed at once, so nothing outlives the run. */
export class Cleanup {
  readonly #steps: Step[] = []
  #running: Promise<void> | undefined

  add(step: Step): void {
    if (this.#running) void attempt(step)
    else this.#steps.push(step)
  }

  run(): Promise<void> {
    this.#running ??= this.#takeAll()
    return this.#running
  }

  async #takeAll(): Promise<void> {
    for (const step of this.#steps.reverse()) await attempt(step)
  }
}

/** One failing step must not prevent the others. */
async function attempt(step: Step): Promise<void> {
  try {
    await step()
  } catch (error) {
    process.stderr.write(`while cleaning up: ${error instanceof Error ? error.message : error}\n`)
  }
}
