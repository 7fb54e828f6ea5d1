/** The API reveals at most this many contacts in one call. */
const idsPerStep = 10

type StepState = 'waiting' | 'running' | 'done' | 'failed'

interface RevealStep<Contact> {
  ids: readonly string[]
  /** Made once. Every try of the step sends it, so that a step whose answer was lost is paid for once. */
  idempotencyKey: string
  state: StepState
  /** The contacts delivered. Fewer than the ids if some could not be revealed. */
  contacts: readonly Contact[]
  /** Credits that it spent. */
  spent: number
}

interface Totals {
  /** Ids of finished steps. */
  asked: number
  delivered: number
  spent: number
}

/** Splits ids into steps, each id once. */
function planSteps<Contact>(ids: readonly string[], newKey: () => string): RevealStep<Contact>[] {
  const distinct = [...new Set(ids)]
  const count = Math.ceil(distinct.length / idsPerStep)
  return Array.from({ length: count }, (_, index) => ({
    ids: distinct.slice(index * idsPerStep, (index + 1) * idsPerStep),
    idempotencyKey: newKey(),
    state: 'waiting',
    contacts: [],
    spent: 0,
  }))
}

function totalsOf(steps: readonly RevealStep<unknown>[]): Totals {
  const done = steps.filter(({ state }) => state === 'done')
  const sum = (amountOf: (step: RevealStep<unknown>) => number) =>
    done.reduce((total, step) => total + amountOf(step), 0)
  return {
    asked: sum(({ ids }) => ids.length),
    delivered: sum(({ contacts }) => contacts.length),
    spent: sum((s) => s.spent),
  }
}

/**
 * `ready` → `running` → `finished`, or `failed` when a step failed for good, or `stopped`. `stopping` is between the press of
 * Stop and the end of the step that is running. From `failed` and `stopped` it can go on, with the same keys.
 */
type RunPhase = 'ready' | 'running' | 'stopping' | 'stopped' | 'failed' | 'finished'

export interface RunState<Contact> {
  readonly phase: RunPhase
  readonly steps: readonly RevealStep<Contact>[]
  readonly totals: Totals
  /** The current step is being tried again. */
  readonly isRetrying: boolean
  /** The error of the failed step. */
  readonly error: unknown
}

export interface StepReply<Contact> {
  contacts: readonly Contact[]
  spent: number
}

/** Decides on an error: the step ends without contacts, is tried again after a pause, or fails. */
export type Verdict = { kind: 'nobody' } | { kind: 'retry'; afterMs?: number | undefined } | { kind: 'fail' }

export interface RevealRunOptions<Contact> {
  ids: readonly string[]
  /** Sends one step. The only thing here that spends. */
  send: (ids: readonly string[], idempotencyKey: string) => Promise<StepReply<Contact>>
  judge: (error: unknown) => Verdict
  newKey: () => string
  /** Resolves after the time, or earlier when the signal aborts. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>
}

const maxTries = 6
const firstPauseMs = 500
const longestPauseMs = 15_000

/** Reveals contacts in steps. Does nothing before `start`, and sends one step at a time. */
export class RevealRun<Contact> {
  readonly #options: RevealRunOptions<Contact>
  readonly #listeners = new Set<() => void>()
  #state: RunState<Contact>
  /** Aborted by Stop; ends a pause between two tries. */
  #stop = new AbortController()

  constructor(options: RevealRunOptions<Contact>) {
    this.#options = options
    const steps = planSteps<Contact>(options.ids, options.newKey)
    this.#state = { phase: 'ready', steps, totals: totalsOf(steps), isRetrying: false, error: undefined }
  }

  /** Immutable: another object after every change. */
  get state(): RunState<Contact> {
    return this.#state
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Runs the steps that are not done. Does nothing while it runs, or when everything is done. */
  async start(): Promise<void> {
    const { phase } = this.#state
    if (phase !== 'ready' && phase !== 'failed' && phase !== 'stopped') return
    this.#stop = new AbortController()
    this.#change({ phase: 'running', error: undefined })
    for (const [index, step] of this.#state.steps.entries()) {
      if (step.state === 'done') continue
      if (this.#stop.signal.aborted) return this.#change({ phase: 'stopped' })
      if (!(await this.#runStep(index))) return
    }
    this.#change({ phase: 'finished' })
  }

  /** Ends after the step that is running. What is revealed stays revealed. */
  stop(): void {
    if (this.#state.phase !== 'running') return
    this.#change({ phase: 'stopping' })
    this.#stop.abort()
  }

  /** Returns true once the step is done. */
  async #runStep(index: number): Promise<boolean> {
    const { ids, idempotencyKey } = this.#state.steps[index]!
    this.#changeStep(index, { state: 'running' })
    for (let attempt = 1; ; attempt++) {
      try {
        this.#finishStep(index, await this.#options.send(ids, idempotencyKey))
        return true
      } catch (error) {
        const verdict = this.#options.judge(error)
        if (verdict.kind === 'nobody') {
          this.#finishStep(index, { contacts: [], spent: 0 })
          return true
        }
        const isStopped = () => this.#stop.signal.aborted
        if (verdict.kind === 'fail' || attempt >= maxTries || isStopped()) return this.#failStep(index, error)
        this.#change({ isRetrying: true })
        await this.#options.pause(verdict.afterMs ?? pauseBefore(attempt), this.#stop.signal)
        if (isStopped()) return this.#failStep(index, error)
      }
    }
  }

  #finishStep(index: number, { contacts, spent }: StepReply<Contact>): void {
    this.#changeStep(index, { state: 'done', contacts, spent })
  }

  #failStep(index: number, error: unknown): false {
    this.#changeStep(index, { state: 'failed' })
    this.#change({ phase: 'failed', error })
    return false
  }

  #changeStep(index: number, change: Partial<RevealStep<Contact>>): void {
    const steps = this.#state.steps.map((step, at) => (at === index ? { ...step, ...change } : step))
    this.#change({ steps, totals: totalsOf(steps), isRetrying: false })
  }

  #change(change: Partial<RunState<Contact>>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

function pauseBefore(attempt: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1))
}
