import { descriptorsOf, memoryOf } from '../installation/processes.ts'

export interface Sample {
  seconds: number
  serverMb: number
  descriptors: number
}

/** Looks at the server's process from outside, again and again. */
export class Sampler {
  readonly samples: Sample[] = []
  readonly #timer: NodeJS.Timeout

  constructor(pidOf: () => number, everyMs: number) {
    const startedAt = performance.now()
    const take = () => {
      const seconds = (performance.now() - startedAt) / 1_000
      this.samples.push({ seconds, serverMb: memoryOf(pidOf()).residentMb, descriptors: descriptorsOf(pidOf()) })
    }
    take()
    this.#timer = setInterval(take, everyMs)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  get mostMb(): number {
    return Math.max(...this.samples.map(({ serverMb }) => serverMb))
  }

  get firstMb(): number {
    return this.samples[0]!.serverMb
  }

  /** Points of a chart. */
  memory(): [seconds: number, mb: number][] {
    return this.samples.map(({ seconds, serverMb }) => [seconds, serverMb])
  }
}
